/**
 * Writes the gateway as a script (`gateway-script.mjs`) for the current sources, and its compiled code for processes
 * with the same Node and options as this one: at once after its modules have run, and again after practice calls
 * (`practise-calls.mjs`). Started by `compile-gateway.mjs`.
 *
 * Each module becomes a function whose lines are those of its file without comments, so that a line of the script names
 * a line of a source. Its imports are constants: no module of the gateway imports in a circle or exports a variable that
 * changes (test/config/gateway-script.test.ts). The packages come from their bundle (`bundled-packages.mjs`); packages
 * outside of it are loaded from their own files.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire, isBuiltin, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleFolder, readManifest } from './bundled-packages.mjs';
import {
  compile,
  contentHash,
  createLoader,
  descriptionName,
  findScript,
  scriptFolder,
  stampOf,
  storeCode,
  writePart,
  writeWhole,
} from './gateway-script.mjs';
import { practise } from './practise-calls.mjs';

const root = new URL('..', import.meta.url).href;
const rootFolder = fileURLToPath(root);

/** The module with which the gateway starts. */
const entry = 'src/run-gateway.ts';

/** Modules of every gateway, with simulated lines or with real ones. Their compiled code is stored. */
const usual = [
  entry,
  'src/gateway.ts',
  'src/persistence/migrations/index.ts',
  'sip/drachtio/drachtio-lines.ts',
  'sip/simulator/simulator-lines.ts',
  'sip/webphone/web-phones.ts',
  'src/start/http-server.ts',
  'src/outgoing/target-dispatcher.ts',
  'src/parts/http.ts',
  'src/api/mcp/answer-message.ts',
];

/** Modules that resume calls, which are in the first part with all that they import statically. */
const early = [
  entry,
  'src/gateway.ts',
  'sip/drachtio/drachtio-lines.ts',
  'sip/simulator/simulator-lines.ts',
  'sip/webphone/web-phones.ts',
];

/**
 * Size of another part, in bytes, from which the next one begins. Loading a part blocks the event loop, in which calls are
 * in progress by then.
 */
const partBytes = 1_000_000;

/** The module that practice calls need. */
const practised = 'src/gateway.ts';

/** Other files that decide what the script contains. */
const otherSources = [
  'package.json',
  'package-lock.json',
  'config/bundled-packages.mjs',
  'config/gateway-script.mjs',
  'config/practice-gateway.mjs',
  'config/practise-calls.mjs',
  'config/write-bundle.mjs',
  'config/write-gateway-script.mjs',
];

/** Changes of a file within this time after another one may leave its times as they are. */
const timeGranularityMs = 2_000;

/** Names that modules get from the script. `$mport` and `import_meta` are as long as what they replace. */
const load = '$load';
const builtin = '$built';
const importLater = '$mport';
const meta = 'import_meta';

// The parser of Vite, which builds the console.
const ofVite = createRequire(createRequire(import.meta.url).resolve('vite/package.json'));
const { parseSync } = await import(pathToFileURL(ofVite.resolve('rolldown/utils')).href);

const began = Date.now();
/** Read files by their paths: state and hash. */
const sources = new Map();
const readSource = (path) => {
  const found = statSync(rootFolder + path);
  const content = readFileSync(rootFolder + path);
  const isSettled = Math.max(found.mtimeMs, found.ctimeMs) < began - timeGranularityMs;
  sources.set(path, { stamp: isSettled ? stampOf(found) : null, hash: contentHash(content) });
  return content.toString();
};

const bundle = bundleFolder(root).href.slice(root.length);
const bundled = new Map(
  readManifest(bundleFolder(root)).entries.map(({ specifier, file }) => [specifier, bundle + file]),
);

/** Modules in the order of their numbers. */
const modules = [];
const numbers = new Map();
const numberOf = (kind, path) => {
  const known = numbers.get(path);
  if (known !== undefined) return known;
  const number = modules.push({ kind, path, imports: [], requires: [], code: '' }) - 1;
  numbers.set(path, number);
  return number;
};

/** Number of the module that a module imports; `null` for one of Node. */
const resolve = (specifier, importer) => {
  if (isBuiltin(specifier)) return null;
  if (specifier.startsWith('#')) return numberOf('own', specifier.slice(1));
  if (/^\.\.?\//.test(specifier)) {
    const { kind, path } = importer;
    return numberOf(kind, new URL(specifier, root + path).href.slice(root.length));
  }
  const file = bundled.get(specifier);
  return file === undefined ? numberOf('package', specifier) : numberOf('bundled', file);
};

/** Replaces parts of a text: [start, end, replacement]. Keeps the number of lines. */
const replaceParts = (text, parts) => {
  let result = '';
  let at = 0;
  for (const [start, end, replacement] of parts.toSorted(([one], [other]) => one - other)) {
    const lines = text.slice(start, end).split('\n').length - replacement.split('\n').length;
    result += text.slice(at, start) + replacement + '\n'.repeat(lines);
    at = end;
  }
  return result + text.slice(at);
};

/** Parts of a text without its comments, whose lines remain. Comments inside of `others` are replaced with them. */
const commentParts = (comments, others = []) =>
  comments
    .filter(({ start }) => !others.some(([from, until]) => from <= start && start < until))
    .map(({ type, start, end }) => [start, end, type === 'Block' ? ' ' : '']);

/**
 * Modules of real lines, on which there are no practice calls. Their functions are compiled with their module: V8 does
 * that for functions in parentheses.
 */
const isOfRealLines = (path) => /^sip\/(?!audio\/listening|hep|relay|simulator|webphone)/.test(path);

/** Parts that put the functions of a program in parentheses. */
const parenthesesOf = (program, text) => {
  const parts = [];
  const visit = (node) => {
    if (typeof node !== 'object' || node === null) return;
    const { type, start, end } = node;
    const isFunction =
      type === 'ArrowFunctionExpression' ||
      (type === 'FunctionExpression' && /^(async\s+)?function\b/.test(text.slice(start, end)));
    if (isFunction) parts.push([start, start, '('], [end, end, ')']);
    for (const child of Object.values(node)) visit(child);
  };
  visit(program);
  return parts;
};

/** Text of one byte per character, which V8 reads and keeps in half of the space. */
const inAscii = (text) =>
  text.replaceAll(/[^\0-\x7f]/g, (character, at) => {
    let before = at;
    while (text[before - 1] === '\\') before -= 1;
    const isEscaped = (at - before) % 2 === 1;
    return `${isEscaped ? '' : '\\'}u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

/** Code of a TypeScript module, with spaces in the place of types. */
const withoutTypes = (path, source) => {
  const code = stripTypeScriptTypes(source);
  if (code.length !== source.length) throw new Error(`${path}: the places of its code have changed`);
  // Node replaces characters of several bytes by spaces of as many bytes, which only ES modules may contain anywhere.
  return code.replaceAll(/[^\0-\x7f]/g, (character, at) => (character === source[at] ? character : ' '));
};

const unsupported = (path, what) => new Error(`${path}: ${what} is not supported`);

const string = (name) => JSON.stringify(name);

/** Constants for the names that an import statement gives. */
const constantsOf = (specifier, number, entries) => {
  const from = number === null ? `${builtin}(${string(specifier)})` : `${load}(${number})`;
  const whole = [];
  const named = [];
  for (const { importName, localName } of entries) {
    const isWhole =
      importName.kind === 'NamespaceObject' || (number === null && importName.kind === 'Default');
    if (isWhole) whole.push(`const ${localName.value}=${from};`);
    else named.push(`${string(importName.name ?? 'default')}:${localName.value}`);
  }
  if (named.length > 0) whole.push(`const {${named.join(',')}}=${from};`);
  return whole.length === 0 ? `${from};` : whole.join('');
};

/** Imports of a CommonJS module, in the first lines of a file of the bundle. */
const importCommon = /createRequire\(import\.meta\.url\)\('\.(\/[^']+\.cjs)'\)/;

/** An ES module as a function that returns its exports. */
const asFunction = (module, source) => {
  const { path } = module;
  const [, common] = importCommon.exec(source) ?? [];
  const text =
    common === undefined
      ? source
      : source.replace(importCommon, `${load}(${numberOf('common', bundle + common.slice(1))})`);
  const result = parseSync(path, text, { lang: 'js', sourceType: 'module' });
  const { module: parsed, errors, comments } = result;
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const given = common === undefined ? [load, builtin, importLater, meta] : [builtin, importLater, meta];
  for (const name of given) if (text.includes(name)) throw unsupported(path, name);

  const parts = [];
  const exported = [];
  /** Lists of exported names: end by start. */
  const lists = new Map();
  /** Statements that load imported modules, by their places. */
  const statements = [];
  const toLoad = (number) => {
    if (number !== null && !module.imports.includes(number)) module.imports.push(number);
    return number;
  };
  if (common !== undefined) toLoad(numbers.get(bundle + common.slice(1)));
  for (const { start, end, moduleRequest, entries } of parsed.staticImports) {
    const number = toLoad(resolve(moduleRequest.value, module));
    statements.push([start, constantsOf(moduleRequest.value, number, entries)]);
    parts.push([start, end, '']);
  }
  for (const { start, end, entries } of parsed.staticExports) {
    // The parser gives the statement that imports an exported name, but the place at which the name is exported.
    const isOfImport = text.startsWith('import', start);
    const isDeclaration = !isOfImport && !/^export\s*[{*]/.test(text.slice(start, end));
    if (isDeclaration) parts.push([start, start + 'export'.length, ' '.repeat('export'.length)]);
    else if (isOfImport) {
      const begin = text.lastIndexOf('export', entries[0].start);
      lists.set(begin, text.indexOf('}', begin) + 1);
    } else lists.set(start, end);
    const loads = new Set();
    for (const { moduleRequest, importName, exportName, localName, ...place } of entries) {
      const name = exportName.name ?? (exportName.kind === 'Default' ? 'default' : null);
      if (name === null || (isDeclaration && exportName.kind === 'Default'))
        throw unsupported(path, text.slice(start, start + 40));
      if (moduleRequest === null || isOfImport) {
        const local = isOfImport ? /^[\w$]+/.exec(text.slice(place.start, place.end))?.[0] : localName.name;
        if (local === undefined) throw unsupported(path, text.slice(start, end));
        exported.push([name, local]);
        continue;
      }
      const number = toLoad(resolve(moduleRequest.value, module));
      if (number === null || importName.name === null) throw unsupported(path, text.slice(start, end));
      loads.add(`${load}(${number});`);
      exported.push([name, `${load}(${number})[${string(importName.name)}]`]);
    }
    for (const statement of loads) statements.push([start, statement]);
  }
  // The parser names no empty lists, which types leave.
  for (const { 0: list, 1: specifier, index } of text.matchAll(
    /^export \{\s*\}(?: from ['"]([^'"]+)['"])?/gm,
  )) {
    lists.set(index, index + list.length);
    if (specifier === undefined) continue;
    const number = toLoad(resolve(specifier, module));
    if (number !== null) statements.push([index, `${load}(${number});`]);
  }
  for (const [start, end] of lists) parts.push([start, end, '']);
  for (const { start, moduleRequest } of parsed.dynamicImports) {
    parts.push([start, start + 'import'.length, importLater]);
    const asked = text.slice(moduleRequest.start, moduleRequest.end);
    const specifier = /^(['"])([^'"\\]+)\1$/.exec(asked)?.[2];
    if (specifier === undefined || isBuiltin(specifier)) continue;
    const isInside = /^(#|\.\.?\/)/.test(specifier) || bundled.has(specifier);
    if (isInside)
      parts.push([
        moduleRequest.start,
        moduleRequest.end,
        String(resolve(specifier, module)).padEnd(asked.length),
      ]);
  }
  for (const { start, end } of parsed.importMetas) parts.push([start, end, meta]);

  if (isOfRealLines(path)) parts.push(...parenthesesOf(result.program, text));
  parts.push(...commentParts(comments, parts));

  const first = statements
    .toSorted(([one], [other]) => one - other)
    .map(([, statement]) => statement)
    .join('');
  const last = exported
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${string(name)}:${value}`)
    .join(',');
  const parameters = [load, builtin, importLater, meta].join(',');
  return `function(${parameters}){"use strict";${first}${replaceParts(text, parts)}\nreturn {__proto__:null,${last}}}`;
};

/** Text of a CommonJS module without comments. */
const withoutComments = (path, text) => {
  const { comments, errors } = parseSync(path, text, { lang: 'js', sourceType: 'commonjs' });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  return replaceParts(text, commentParts(comments));
};

const addCode = (module) => {
  const { kind, path } = module;
  if (kind === 'package') module.code = 'null';
  else if (kind === 'own') {
    const source = readSource(path);
    module.code = asFunction(module, path.endsWith('.ts') ? withoutTypes(path, source) : source);
  } else if (kind === 'bundled') module.code = asFunction(module, readFileSync(rootFolder + path, 'utf8'));
  else {
    const source = readFileSync(rootFolder + path, 'utf8');
    for (const [, file] of source.matchAll(/\brequire\("\.\/([^"]+\.cjs)"\)/g))
      module.requires.push(numberOf('common', bundle + file));
    module.code = `function(exports,require,module,__filename,__dirname){${withoutComments(path, source)}\n}`;
  }
  module.code = inAscii(module.code);
};

/** Throws if modules import each other in a circle. */
const checkCircles = () => {
  const done = new Set();
  const visit = (number, path) => {
    if (done.has(number)) return;
    if (path.includes(number))
      throw new Error(
        `a circle of imports: ${[...path, number].map((one) => modules[one].path).join(' → ')}`,
      );
    for (const imported of modules[number].imports) visit(imported, [...path, number]);
    done.add(number);
  };
  for (const number of modules.keys()) visit(number, []);
};

const { gateway, 'without-practice': isWithoutPractice } = parseArgs({
  options: { gateway: { type: 'string' }, 'without-practice': { type: 'boolean', default: false } },
}).values;
const parent = process.ppid;

/** Ends this process if the gateway that has started it in the background has ended. */
const endIfUnwanted = () => {
  if (gateway === undefined) return;
  try {
    process.kill(Number(gateway), 0);
  } catch {
    process.exit(1);
  }
  if (process.ppid !== parent) process.exit(1);
};

/** These modules and those that they import statically. */
const withImports = (roots) => {
  const found = new Set();
  const visit = (number) => {
    if (found.has(number)) return;
    found.add(number);
    for (const other of [...modules[number].imports, ...modules[number].requires]) visit(other);
  };
  for (const number of roots) visit(number);
  return found;
};

/** Divides the modules into parts. Returns the codes of each part and the description of each module. */
const divide = (roots) => {
  const first = withImports(roots);
  const newPart = () => ({ codes: [], lines: 0, bytes: 0 });
  const parts = [newPart(), newPart()];
  const described = modules.map(({ kind, path, imports, code }, number) => {
    if (parts.at(-1).bytes >= partBytes) parts.push(newPart());
    const place = first.has(number) ? 0 : parts.length - 1;
    const part = parts[place];
    const line = part.lines + 1;
    part.codes.push(code);
    part.lines += code.split('\n').length;
    part.bytes += code.length;
    return [kind, path, imports, line, place];
  });
  const texts = parts.map(({ codes }) => Buffer.from(`[${codes.join(',\n')}]\n`, 'latin1'));
  return { described, texts };
};

const makeScript = () => {
  numberOf('own', entry);
  // The list grows with the imports of its modules.
  for (const module of modules) {
    endIfUnwanted();
    addCode(module);
  }
  checkCircles();
  for (const path of otherSources) readSource(path);
  return divide(early.flatMap((path) => numbers.get(path) ?? []));
};

/** Compiles the modules of every gateway. */
const compileAndLoad = ({ parts, modules: described }, texts) => {
  const compiled = parts.map((part, number) => compile(root, part, texts[number], undefined));
  const loader = createLoader(root, described, (part) => compiled[part].runInThisContext());
  for (const path of usual) loader.load(path);
  return { compiled, loader };
};

const storeCodes = ({ parts }, { compiled }, isPractised) => {
  for (const [number, part] of parts.entries()) storeCode(root, part, compiled[number], isPractised);
};

/** Whether to practise. Only the script of a whole gateway has calls. */
const practises = !isWithoutPractice && usual.includes(practised);
/** Time limit of the practice calls, which usually take a seventh of it. */
const longestPracticeMs = 90_000;
const lookMs = 500;

/** Stores the code with the functions of calls and take-overs. Leaves it as it is if the practice calls fail. */
const practiseAndStore = async (description, loaded) => {
  if (!practises) return;
  // The exit of the process ends all that was started for the calls.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(signal, () => process.exit(1));
  setInterval(endIfUnwanted, lookMs).unref();
  try {
    await practise(loaded.loader, longestPracticeMs);
    storeCodes(description, loaded, true);
  } catch (error) {
    if (gateway === undefined)
      console.error(`The practice calls failed, so first calls will be slower: ${error.message}`);
  }
};

const write = async () => {
  const { described, texts } = makeScript();
  const folder = scriptFolder(root);
  mkdirSync(folder, { recursive: true });
  const parts = texts.map((text) => writePart(root, text));
  const description = {
    parts,
    sources: [...sources].map(([path, { stamp, hash }]) => [path, stamp, hash]),
    modules: described,
  };
  const loaded = compileAndLoad(description, texts);
  storeCodes(description, loaded, false);
  writeWhole(join(folder, descriptionName), JSON.stringify(description));
  // Removes the scripts of other sources.
  const isCurrent = (name) => name === descriptionName || parts.some(({ file }) => name.startsWith(file));
  for (const name of readdirSync(folder)) if (!isCurrent(name)) rmSync(join(folder, name), { force: true });
  await practiseAndStore(description, loaded);
};

// Warnings about experimental functions of Node would be printed for every start.
process.removeAllListeners('warning');
const found = findScript(root);
if (found === null || (practises && !found.isPractised)) {
  if (gateway === undefined) console.error('Compiling the gateway (only needed for changed sources) …');
  if (found === null) await write();
  else await practiseAndStore(found.description, compileAndLoad(found.description, found.texts));
}
// Modules of the gateway may have opened something.
process.exit(0);
