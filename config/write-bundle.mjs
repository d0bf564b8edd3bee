/**
 * Writes the bundle of the packages (`bundled-packages.mjs`) into `dist/node_modules`. Runs on the pinned Node, started by
 * `bundle-packages.mjs`.
 *
 * ES modules and CommonJS modules are in separate files, because CommonJS code may rely on sloppy mode. The code is
 * neither minified nor renamed, so stack traces stay readable; a comment names each module.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { basename, dirname, extname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundledImports, bundleFolder, manifestName, modulesName } from './bundled-packages.mjs';

const root = new URL('..', import.meta.url);
const rootFolder = fileURLToPath(root);
const folder = fileURLToPath(bundleFolder(root.href));

// The bundler of Vite, which builds the console.
const ofVite = createRequire(createRequire(import.meta.url).resolve('vite/package.json'));
const { rolldown } = await import(pathToFileURL(ofVite.resolve('rolldown')).href);

const isCommonJs = (path) => {
  const extension = extname(path);
  if (extension !== '.js') return extension !== '.mjs';
  return JSON.parse(readFileSync(findPackageJSON(pathToFileURL(path)), 'utf8')).type !== 'module';
};

/** Name of a file of the bundle for a module. */
const nameOf = (path) =>
  relative(join(rootFolder, 'node_modules'), path)
    .replaceAll(/[^\w-]+/g, '-')
    .replace(/^-/, '');

const options = (input, plugins) => ({
  cwd: rootFolder,
  input,
  platform: 'node',
  // As Node resolves; the bundler adds `import` or `require`.
  resolve: { conditionNames: ['node', 'default'], mainFields: ['main'] },
  preserveEntrySignatures: 'strict',
  treeshake: false,
  logLevel: 'silent',
  plugins,
});

const output = (format, extension) => ({
  format,
  keepNames: true,
  strict: false,
  comments: false,
  minifyInternalExports: false,
  entryFileNames: `[name]${extension}`,
  chunkFileNames: `shared-[hash]${extension}`,
});

const generate = async (input, plugins, { format, extension }) => {
  const bundle = await rolldown(options(input, plugins));
  const generated = await bundle.generate(output(format, extension));
  await bundle.close();
  return generated.output.map(({ fileName, code, moduleIds }) => ({ fileName, code, moduleIds }));
};

/** CommonJS modules that ES modules import, by their names in the bundle. */
const commonJs = new Map();
const marker = 'commonjs-module:';

/** Leaves CommonJS modules to the other files. */
const withoutCommonJs = {
  name: 'without-commonjs',
  async resolveId(source, importer, { kind }) {
    if (importer === undefined || source.startsWith('node:')) return null;
    const found = await this.resolve(source, importer, { kind, skipSelf: true });
    if (found === null || found.external || !isCommonJs(found.id)) return found;
    commonJs.set(nameOf(found.id), found.id);
    return { id: `${marker}${nameOf(found.id)}`, external: true };
  },
};

/** Returns the code after its leading spaces and comments. */
const withoutHead = (code) => {
  let rest = code.trimStart();
  for (;;) {
    const close = rest.startsWith('//') ? '\n' : rest.startsWith('/*') ? '*/' : null;
    if (close === null) return rest;
    const end = rest.indexOf(close, 2);
    if (end === -1) return '';
    rest = rest.slice(end + close.length).trimStart();
  }
};

/**
 * Gives each CommonJS module its own surroundings: strict mode only if it asks for it, because the bundler drops the
 * directives of modules, and the folder in which it is installed.
 */
const ownSurroundings = {
  name: 'own-surroundings',
  transform(code, path) {
    const isStrict = /^["']use strict["']/.test(withoutHead(code));
    const names = ['__dirname', '__filename'].filter((name) => code.includes(name));
    if (!isStrict && names.length === 0) return null;
    const places = { __dirname: dirname(path), __filename: path };
    const given = names.map(
      (name) => `require("node:path").resolve(__dirname, ${JSON.stringify(relative(folder, places[name]))})`,
    );
    const start = `(function (${names.join(', ')}) {${isStrict ? '"use strict";' : ''}`;
    return `${start}${code}\n}).call(${['exports', ...given].join(', ')});`;
  },
};

const modulesOf = new Map(
  bundledImports.map((specifier) => [specifier, fileURLToPath(import.meta.resolve(specifier))]),
);
const esModules = {};
for (const path of modulesOf.values()) {
  if (isCommonJs(path)) commonJs.set(nameOf(path), path);
  else esModules[nameOf(path)] = path;
}

/** An ES module with the exports that Node gives a CommonJS module. */
const facadeOf = async (name, path) => {
  const names = Object.keys(await import(pathToFileURL(path).href)).filter(
    (exported) => exported !== 'default' && exported !== 'module.exports',
  );
  return [
    "import { createRequire } from 'node:module';",
    `const exported = createRequire(import.meta.url)('./${name}.cjs');`,
    "export { exported as default, exported as 'module.exports' };",
    ...names.map((exported, index) => `const export${index} = exported[${JSON.stringify(exported)}];`),
    `export { ${names.map((exported, index) => `export${index} as ${JSON.stringify(exported)}`).join(', ')} };`,
    '',
  ].join('\n');
};

const write = async (place) => {
  const files = await generate(esModules, [withoutCommonJs], { format: 'esm', extension: '.mjs' });
  for (const file of files)
    file.code = file.code.replaceAll(new RegExp(`"${marker}([^"]+)"`, 'g'), '"./$1.mjs"');
  files.push(
    ...(await generate(Object.fromEntries(commonJs), [ownSurroundings], {
      format: 'cjs',
      extension: '.cjs',
    })),
  );
  for (const [name, path] of commonJs)
    files.push({ fileName: `${name}.mjs`, code: await facadeOf(name, path), moduleIds: [] });
  for (const { fileName, code } of files) writeFileSync(join(place, fileName), code);

  const pathsOf = (ids) => ids.map((id) => relative(rootFolder, id)).filter((path) => !path.includes('\0'));
  const manifest = {
    entries: [...modulesOf].map(([specifier, path]) => ({
      specifier,
      module: relative(rootFolder, path),
      file: `${nameOf(path)}.mjs`,
    })),
    files: files.map(({ fileName }) => ({ file: fileName, size: statSync(join(place, fileName)).size })),
  };
  writeFileSync(
    join(place, modulesName),
    JSON.stringify(
      Object.fromEntries(files.map(({ fileName, moduleIds }) => [fileName, pathsOf(moduleIds)])),
    ),
  );
  writeFileSync(join(place, manifestName), JSON.stringify(manifest));
};

const all = dirname(folder);
const temporary = join(all, `.${process.pid}`);
mkdirSync(temporary, { recursive: true });
try {
  await write(temporary);
  // Removes a damaged bundle.
  rmSync(folder, { recursive: true, force: true });
  renameSync(temporary, folder);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
// Removes the bundles of other lockfiles, not the script of the gateway (gateway-script.mjs).
for (const name of readdirSync(all))
  if (name !== basename(folder) && name !== 'gateway')
    rmSync(join(all, name), { recursive: true, force: true });
