/** `npm run generate-charts`: draws the charts anew on the pages that show them, after a chart has changed. */
import { readFile, writeFile } from 'node:fs/promises';
import { drawingsOfPages, withDrawings } from '#src/charts/pages.ts';

for (const [path, drawings] of Object.entries(drawingsOfPages)) {
  const file = new URL(`../../${path}`, import.meta.url);
  await writeFile(file, withDrawings(await readFile(file, 'utf8'), drawings));
}
