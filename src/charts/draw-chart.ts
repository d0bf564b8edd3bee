/**
 * Draws a chart as SVG, one element per line. The page that shows it sets the colours and highlights states by
 * `data-state`, and transitions by `data-edge`.
 */
import Elk, { type ElkExtendedEdge, type ElkNode } from 'elkjs/lib/elk.bundled.js';
import type { Arrow, StateBox, StateGraph } from './state-graph.ts';

/** Sizes in pixels. The widths of letters are those of common sans-serif fonts. */
const sizes = { line: 13, letter: 6.9, labelLetter: 5.6, boxHeight: 34, boxPadding: 26 };

const rootId = '(chart)';

const elkNode = (box: StateBox): ElkNode => ({
  id: box.id === '' ? rootId : box.id,
  width: box.name.length * sizes.letter + sizes.boxPadding,
  height: sizes.boxHeight,
  ...(box.children.length === 0
    ? {}
    : {
        children: box.children.map(elkNode),
        layoutOptions: { 'elk.padding': '[top=34,left=16,bottom=16,right=16]' },
      }),
});

const elkEdge = ({ from, to, labels }: Arrow): ElkExtendedEdge => ({
  id: `${from} ${to}`,
  sources: [from === '' ? rootId : from],
  targets: [to],
  labels: [
    {
      text: labels.join('\n'),
      width: Math.max(...labels.map(({ length }) => length)) * sizes.labelLetter + 8,
      height: labels.length * sizes.line,
    },
  ],
});

const layoutOptions = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.layered.spacing.nodeNodeBetweenLayers': '32',
  'elk.spacing.nodeNode': '28',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
};

/** Draws a chart with a layout by elkjs, which takes more than half a second: for generated files only. */
export const drawChart = async (graph: StateGraph): Promise<string> => {
  const page: ElkNode = {
    id: '(page)',
    children: [elkNode(graph.root)],
    edges: graph.arrows.map(elkEdge),
    layoutOptions,
  };
  const drawn = await new Elk.default().layout(page);
  const boxes = new Map<string, StateBox>();
  const note = (box: StateBox): void => {
    boxes.set(box.id === '' ? rootId : box.id, box);
    box.children.forEach(note);
  };
  note(graph.root);
  const width = Math.ceil(drawn.width ?? 0);
  const height = Math.ceil(drawn.height ?? 0);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="arrow" d="M0 0 8 4 0 8z"/></marker></defs>',
    ...(drawn.children ?? []).map((node) => shape(node, boxes)),
    ...(drawn.edges ?? []).map(line),
    '</svg>\n',
  ].join('\n');
};

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const px = (value: number | undefined): string => (value ?? 0).toFixed(1).replace('.0', '');

const shape = (node: ElkNode, boxes: ReadonlyMap<string, StateBox>): string => {
  const box = boxes.get(node.id);
  const { x = 0, y = 0, width = 0, height = 0, children = [] } = node;
  const isCompound = children.length > 0;
  const looks = [
    'state',
    ...(isCompound ? ['compound'] : []),
    ...(box?.isInitial === true ? ['initial'] : []),
    ...(box?.isFinal === true ? ['final'] : []),
  ];
  const title = box?.description === undefined ? '' : `<title>${escaped(box.description)}</title>`;
  const at = isCompound
    ? { x: x + 12, y: y + 21, anchor: 'start' }
    : { x: x + width / 2, y: y + 21, anchor: 'middle' };
  return [
    `<g class="${looks.join(' ')}" data-state="${escaped(box?.id ?? '')}">${title}`,
    `<rect x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}" rx="8"/>`,
    `<text x="${px(at.x)}" y="${px(at.y)}" text-anchor="${at.anchor}">${escaped(box?.name ?? node.id)}</text>`,
    ...children.map((child) => shape(child, boxes)),
    '</g>',
  ].join('\n');
};

/** Name of a state in the name of a transition. */
const stateName = (id: string | undefined): string => (id === rootId ? '(any)' : (id ?? ''));

const line = ({ sources, targets, sections = [], labels = [] }: ElkExtendedEdge): string => {
  const paths = sections.map(({ startPoint, bendPoints = [], endPoint }) => {
    const [first, ...others] = [startPoint, ...bendPoints, endPoint].map(({ x, y }) => `${px(x)} ${px(y)}`);
    return `<path d="M${first}L${others.join(' ')}" marker-end="url(#arrow)"/>`;
  });
  const words = labels.flatMap(({ text = '', x = 0, y = 0 }) =>
    text
      .split('\n')
      .map(
        (row, index) =>
          `<text x="${px(x + 4)}" y="${px(y + 10 + index * sizes.line)}">${escaped(row)}</text>`,
      ),
  );
  const name = `${stateName(sources[0])} → ${stateName(targets[0])}`;
  return `<g class="edge" data-edge="${escaped(name)}">${paths.join('')}${words.join('')}</g>`;
};
