/** The suites that come with the gateway. Each is loaded when it is chosen. */
const files = import.meta.glob<string>('../../../examples/rehearsals/*.yaml', {
  query: '?raw',
  import: 'default',
});

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** File names of the suites. */
export const includedSuites: readonly string[] = Object.keys(files).map(nameOf);

/** Resolves to the YAML of an included suite; empty for any other name. */
export const includedSuite = async (name: string): Promise<string> => {
  const fetch = Object.entries(files).find(([path]) => nameOf(path) === name)?.[1];
  return fetch === undefined ? '' : fetch();
};
