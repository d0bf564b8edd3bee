/** Updates the list of packages in the page of the licences: `npm run list-licences`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { licencesPage, withList } from './licence-list.ts';

const file = fileURLToPath(new URL(`../../${licencesPage}`, import.meta.url));
writeFileSync(file, withList(readFileSync(file, 'utf8')));
