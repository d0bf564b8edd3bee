/** Returns the cycles of a graph, each as a path back to its first node. Visits every node once. */
export const circlesIn = (uses: ReadonlyMap<string, Iterable<string>>): string[] => {
  const circles: string[] = [];
  const seen = new Set<string>();
  const path: string[] = [];
  const visit = (one: string): void => {
    const begins = path.indexOf(one);
    if (begins !== -1) circles.push([...path.slice(begins), one].join(' → '));
    if (seen.has(one)) return;
    seen.add(one);
    path.push(one);
    for (const next of uses.get(one) ?? []) visit(next);
    path.pop();
  };
  for (const one of uses.keys()) visit(one);
  return circles;
};
