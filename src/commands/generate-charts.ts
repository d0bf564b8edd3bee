/** `npm run generate-charts`: regenerates the drawings of the charts, on their pages and as SVG. */
import { readFile, writeFile } from 'node:fs/promises';
import { callCharts, drawingFile } from '#src/charts/chart-drawings.ts';
import { drawChart } from '#src/charts/draw-chart.ts';
import { drawingsOfPages, withDrawings } from '#src/charts/pages.ts';
import { stateGraph } from '#src/charts/state-graph.ts';
import { chartNames } from '#src/domain/chart-name.ts';

for (const [path, drawings] of Object.entries(drawingsOfPages)) {
  const file = new URL(`../../${path}`, import.meta.url);
  await writeFile(file, withDrawings(await readFile(file, 'utf8'), drawings));
}

for (const name of chartNames)
  await writeFile(drawingFile(name), await drawChart(stateGraph(callCharts[name])));
