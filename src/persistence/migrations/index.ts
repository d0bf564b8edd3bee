/** All migrations, oldest first (`migrations`). A name never changes once it was released. */
import { Initial } from './initial.ts';

export const initial = { name: '0001-schema', class: Initial };

export const migrations = [initial];

/**
 * Migrations of the time before 0.1.0, which `0001-schema` replaced. A database that has them all has its schema:
 * how many there were, and the last one.
 */
export const formerMigrations = { count: 58, last: '0074-call-checkpoint' };
