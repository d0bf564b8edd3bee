/** The drawing of the architecture: folders and who imports whom, in Mermaid. */
import { readImports, sourceFiles } from './imports.ts';

export const architecturePage = 'guides/design/architecture.md';

/** What stands between these lines of the page is made here. */
const between = /(?<=<!-- drawn: begin -->\n)[^]*(?=<!-- drawn: end -->)/;

/** A folder of `src`, or a folder beside it; undefined for files that lie in `src` itself, tests and benches. */
const drawnFolder = (path: string): string | undefined => {
  const [top = '', below, file] = path.split('/');
  if (top === 'src') return file === undefined ? undefined : `src/${below}`;
  return ['machines', 'sip'].includes(top) ? top : undefined;
};

/** For each folder those that it imports; `true` where nothing but types comes from there. */
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

/** Without the arrows that follow from others; folders without any are left out. */
const drawing = (): string => {
  const uses = readUses();
  const arrows = [...uses].flatMap(([from, others]) =>
    [...others]
      .filter(([to]) => ![...others.keys()].some((by) => by !== to && reaches(uses, by, to)))
      .map(([to, isType]) => `  ${from} ${isType ? '-.->' : '-->'} ${to}`),
  );
  return ['```mermaid', 'flowchart TD', ...arrows.sort(), '```', ''].join('\n');
};

/** The page with the drawing of today. */
export const withDrawing = (page: string): string => page.replace(between, `\n${drawing()}\n`);
