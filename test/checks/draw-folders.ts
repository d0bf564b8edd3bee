/** Updates the drawing of the folders in the page of the architecture: `npm run draw-folders`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { architecturePage, withDrawing } from './folder-drawing.ts';

const file = fileURLToPath(new URL(`../../${architecturePage}`, import.meta.url));
writeFileSync(file, withDrawing(readFileSync(file, 'utf8')));
