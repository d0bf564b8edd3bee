/**
 * Draws a chart as a Mermaid state diagram for pages of the repository. Mermaid draws no arrow from a state to its own
 * child, so such an arrow begins at a box named `(any)`.
 */
import type { Arrow, StateBox, StateGraph } from './state-graph.ts';

const isWithin = (id: string, outer: string): boolean => outer === '' || id.startsWith(`${outer}.`);

const boxesIn = (box: StateBox): StateBox[] => [box, ...box.children.flatMap(boxesIn)];

/** Names each state by its key, or by its path if the key is not unique. Mermaid allows no dots or hyphens in names. */
const identifiers = ({ root }: StateGraph): ((id: string) => string) => {
  const boxes = boxesIn(root);
  const ids = new Map(
    boxes.map(({ id, name }) => {
      const isAlone = boxes.filter((other) => other.name === name).length === 1;
      return [id, (isAlone ? name : id).replaceAll(/[.-]/g, '_')];
    }),
  );
  return (id) => ids.get(id) ?? id;
};

/** The innermost state that contains all arrows between these two. */
const scopeOf = ({ from, to }: Arrow): string => {
  if (isWithin(to, from)) return from;
  const path: string[] = [];
  const target = to.split('.');
  for (const [index, key] of from.split('.').entries()) {
    if (target[index] !== key) break;
    path.push(key);
  }
  return path.join('.');
};

export const mermaid = (graph: StateGraph, { withLabels = true } = {}): string => {
  const lines = ['stateDiagram-v2'];
  const idOf = identifiers(graph);
  const anyOf = (outer: string): string => (outer === '' ? 'any' : `any_${idOf(outer)}`);
  const arrowLine = ({ from, to, labels }: Arrow): string => {
    const begin = isWithin(to, from) ? anyOf(from) : idOf(from);
    return `${begin} --> ${idOf(to)}${withLabels ? `: ${labels.join(', ')}` : ''}`;
  };

  const drawInside = (box: StateBox, indent: string): void => {
    const arrows = graph.arrows.filter((arrow) => scopeOf(arrow) === box.id);
    if (arrows.some(({ from }) => from === box.id)) lines.push(`${indent}state "(any)" as ${anyOf(box.id)}`);
    for (const child of box.children) {
      const name = child.name === idOf(child.id) ? idOf(child.id) : `"${child.name}" as ${idOf(child.id)}`;
      if (child.children.length === 0) {
        lines.push(indent + (name === child.name ? name : `state ${name}`));
      } else {
        lines.push(`${indent}state ${name} {`);
        drawInside(child, `${indent}  `);
        lines.push(`${indent}}`);
      }
      if (child.isInitial) lines.push(`${indent}[*] --> ${idOf(child.id)}`);
    }
    for (const arrow of arrows) lines.push(indent + arrowLine(arrow));
    for (const { id, isFinal } of box.children) if (isFinal) lines.push(`${indent}${idOf(id)} --> [*]`);
  };

  drawInside(graph.root, '  ');
  return `${lines.join('\n')}\n`;
};
