/** All migrations, oldest first (`migrations`). A name never changes once it was released. */
import { Initial } from './initial.ts';

export const initial = { name: '0001-schema', class: Initial };

export const migrations = [initial];
