/** Draws the folders and their imports as a Mermaid flowchart. */
import { readImports, sourceFiles } from './imports.ts';

export const architecturePage = 'guides/design/architecture.md';

/** Generated part of the page. */
const between = /(?<=<!-- drawn: begin -->\n)[^]*(?=<!-- drawn: end -->)/;

/** Returns the folder that the drawing shows for a file; undefined for files directly in `src`, tests and benchmarks. */
const drawnFolder = (path: string): string | undefined => {
  const [top = '', below, file] = path.split('/');
  if (top === 'src') return file === undefined ? undefined : `src/${below}`;
  return ['machines', 'sip'].includes(top) ? top : undefined;
};

/** Imported folders by importing folder; `true` if only types are imported. */
type Uses = ReadonlyMap<string, ReadonlyMap<string, boolean>>;

const readUses = (): Uses => {
  const uses = new Map<string, Map<string, boolean>>();
  for (const path of sourceFiles) {
    const own = drawnFolder(path);
    if (own === undefined) continue;
    const others = uses.get(own) ?? new Map<string, boolean>();
    uses.set(own, others);
    for (const { inside = '', isType } of readImports(path)) {
      const other = drawnFolder(inside);
      if (other !== undefined && other !== own) others.set(other, (others.get(other) ?? true) && isType);
    }
  }
  return uses;
};

const reaches = (uses: Uses, from: string, to: string): boolean =>
  [...(uses.get(from)?.keys() ?? [])].some((next) => next === to || reaches(uses, next, to));

/** Omits arrows that follow from others, and folders without arrows. */
const drawing = (): string => {
  const uses = readUses();
  const arrows = [...uses].flatMap(([from, others]) =>
    [...others]
      .filter(([to]) => ![...others.keys()].some((by) => by !== to && reaches(uses, by, to)))
      .map(([to, isType]) => `  ${from} ${isType ? '-.->' : '-->'} ${to}`),
  );
  return ['```mermaid', 'flowchart TD', ...arrows.sort(), '```', ''].join('\n');
};

/** Returns the page with a current drawing. */
export const withDrawing = (page: string): string => page.replace(between, `\n${drawing()}\n`);
