/** Types of the parts of `bundled-packages.mjs` that tests use. */
export const bundledImports: readonly string[];
export const modulesName: string;
export const bundleFolder: (root: string) => URL;
