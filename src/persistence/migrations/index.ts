/** All migrations, oldest first. A name never changes once it was released. */
import { Initial } from './initial.ts';
import { Trunks } from './trunks.ts';

export const migrations = [
  { name: '0001-initial', class: Initial },
  { name: '0002-trunks', class: Trunks },
];
