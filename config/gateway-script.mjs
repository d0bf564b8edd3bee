/**
 * The whole gateway as a script with compiled code: calls of a killed gateway wait for the next start, and most of a
 * start is loading modules. Node's compile cache stores a module before it runs, so it lacks the functions that are
 * compiled when they are called first. The compiled code of this script is stored after it has run.
 *
 * The script has several parts. The first one has the modules that resume calls; each other one is read when one of its
 * modules is loaded. `write-gateway-script.mjs` writes the script for the current sources, in which each module is a
 * function. Whenever the script does not fit, the gateway loads its modules one by one instead. This module is loaded
 * before all others and is therefore plain JavaScript (`src/main.mjs`).
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import vm from 'node:vm';
import { crc32 } from 'node:zlib';
import { hasPreloads } from './bundled-packages.mjs';

/**
 * Folder of the script, which all gateways of this checkout share: it belongs to the sources, not to the data of one
 * gateway. In a folder `node_modules`, so that Node prints no deprecation warnings about packages in it.
 */
export const scriptFolder = (root) => fileURLToPath(new URL('dist/node_modules/gateway/', root));

/**
 * Description of the script, written last: the files of its parts, its sources, and its modules as kind, path, numbers of
 * imported modules, first line in the part, and number of the part.
 */
export const descriptionName = 'script.json';

/** V8 uses compiled code only in the version and with the options of the process that created it. */
const codeName = (file) => {
  const options = JSON.stringify([process.version, process.arch, process.execArgv, process.env.NODE_OPTIONS]);
  return `${file}.${crc32(options).toString(16)}.code`;
};

/** State of a file that every change of the file changes. A program can set the time `mtime`, but not `ctime`. */
export const stampOf = ({ mtimeMs, ctimeMs, size, ino }) => `${mtimeMs} ${ctimeMs} ${size} ${ino}`;

export const contentHash = (content) => createHash('sha256').update(content).digest('hex');

/** Throws if a source has changed. Compares the content of files whose state differs, such as those of a copy. */
const checkSources = (root, sources) => {
  const folder = fileURLToPath(root);
  for (const [path, stamp, hash] of sources) {
    const found = statSync(folder + path);
    if (stampOf(found) !== stamp && contentHash(readFileSync(folder + path)) !== hash)
      throw new Error(`${path} has changed`);
  }
};

const readDescription = (root) => {
  const description = JSON.parse(readFileSync(join(scriptFolder(root), descriptionName), 'utf8'));
  checkSources(root, description.sources);
  return description;
};

/** Size of what precedes compiled code in its file. V8 copies code that is not aligned. */
const headBytes = 16;
/** Places in these bytes. */
const checksumAt = 0;
const practisedAt = 4;

/**
 * Returns the compiled code in the content of its file, and whether it has the functions of practice calls. Throws if the
 * file is damaged, which V8 would not notice.
 */
const codeIn = (stored) => {
  const code = stored.subarray(headBytes);
  if (stored.length < headBytes || stored.readUInt32LE(checksumAt) !== crc32(code))
    throw new Error('the compiled code is damaged');
  return { code, isPractised: stored[practisedAt] === 1 };
};

const headOf = (code, isPractised) => {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(crc32(code), checksumAt);
  head[practisedAt] = isPractised ? 1 : 0;
  return head;
};

let written = 0;

/** Writes a file completely or not at all, also if the machine fails. */
export const writeWhole = (path, ...parts) => {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}-${(written += 1)}.new`;
  try {
    const file = openSync(temporary, 'w');
    for (const part of parts) writeSync(file, part);
    fsyncSync(file);
    closeSync(file);
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
};

/** Stores compiled code without blocking the event loop. */
const writeCodeLater = async (path, code, isPractised) => {
  const temporary = `${path}.${process.pid}-${(written += 1)}.new`;
  try {
    const file = await open(temporary, 'w');
    try {
      await file.writev([headOf(code, isPractised), code]);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
};

/** The `import.meta` of a module. */
class Meta {
  #root;
  #path;
  constructor(root, path) {
    this.#root = root;
    this.#path = path;
  }
  get url() {
    return this.#root + this.#path;
  }
  get filename() {
    return fileURLToPath(this.url);
  }
  get dirname() {
    return dirname(this.filename);
  }
  get resolve() {
    return (specifier) => {
      if (specifier.startsWith('#')) return this.#root + specifier.slice(1);
      return /^\.\.?\//.test(specifier) ? new URL(specifier, this.url).href : import.meta.resolve(specifier);
    };
  }
}

/** A package outside of the script, as its namespace. Packages are found from here as from every own module. */
const loadPackage = (specifier) => {
  const url = import.meta.resolve(specifier);
  const exported = createRequire(import.meta.url)(url.startsWith('file:') ? fileURLToPath(url) : specifier);
  return exported?.[Symbol.toStringTag] === 'Module'
    ? exported
    : { __proto__: null, ...exported, default: exported };
};

/**
 * Loads the modules of a script, which `modules` describes by their numbers. `openPart` returns the functions of the
 * modules of a part, and is called when the first of them runs.
 */
export const createLoader = (root, modules, openPart) => {
  const opened = [];
  /** Places of modules in their parts. */
  const places = [];
  const sizes = [];
  for (const [, , , , part] of modules) {
    sizes[part] ??= 0;
    places.push(sizes[part]);
    sizes[part] += 1;
  }
  const functionOf = (number) => {
    const part = modules[number][4];
    return (opened[part] ??= openPart(part))[places[number]];
  };

  /** Exports of modules that have run. */
  const exportsOf = Array.from({ length: modules.length });
  const errors = new Map();
  const numbers = new Map(modules.map(([, path], number) => [path, number]));

  /** As with Node, the importer continues first. */
  const importLater = (target) =>
    typeof target === 'number' ? Promise.resolve(target).then(load) : import(target);

  /** Runs a CommonJS module. */
  const runCommon = (number, path) => {
    const filename = fileURLToPath(root + path);
    let native;
    const require = (specifier) => {
      const other = specifier.startsWith('./')
        ? numbers.get(`${path.slice(0, path.lastIndexOf('/'))}${specifier.slice(1)}`)
        : undefined;
      if (other !== undefined) return load(other);
      if (isBuiltin(specifier)) return process.getBuiltinModule(specifier);
      return (native ??= createRequire(filename))(specifier);
    };
    Object.defineProperty(require, 'resolve', { get: () => (native ??= createRequire(filename)).resolve });
    Object.defineProperty(require, 'cache', { get: () => (native ??= createRequire(filename)).cache });
    const module = { exports: {}, id: filename, filename, loaded: false, children: [], paths: [], require };
    // A module that is required in a circle gets what is exported by then.
    exportsOf[number] = module.exports;
    functionOf(number).call(module.exports, module.exports, require, module, filename, dirname(filename));
    module.loaded = true;
    return module.exports;
  };

  const run = (number) => {
    if (errors.has(number)) throw errors.get(number);
    const [kind, path] = modules[number];
    try {
      if (kind === 'package') return loadPackage(path);
      if (kind === 'common') return runCommon(number, path);
      return functionOf(number)(load, process.getBuiltinModule, importLater, new Meta(root, path));
    } catch (error) {
      exportsOf[number] = undefined;
      errors.set(number, error);
      throw error;
    }
  };

  const load = (number) =>
    exportsOf[number] === undefined ? (exportsOf[number] = run(number)) : exportsOf[number];

  /** A module and those that it imports, each after its own imports. */
  const inOrder = (entry) => {
    const order = new Set();
    const visited = new Set();
    const visit = (number) => {
      if (visited.has(number)) return;
      visited.add(number);
      for (const imported of modules[number][2]) visit(imported);
      order.add(number);
    };
    visit(entry);
    return order;
  };

  return {
    /** As in `module-resolution.mjs`, but nothing was registered. */
    deregister() {},
    /** Loads a module by its path. */
    load: (path) => load(numbers.get(path)),
    /**
     * Loads a module and those that it imports one at a time, and lets the event loop continue after each
     * (`module-resolution.mjs`). Never rejects: the following import of the module throws the same error.
     */
    async importInPieces(url) {
      for (const number of inOrder(numbers.get(url.slice(root.length)))) {
        if (exportsOf[number] !== undefined) continue;
        try {
          load(number);
        } catch {
          return;
        }
        await setImmediate();
      }
    },
  };
};

const isFlushGiven = () =>
  /flush.bytecode/.test([process.env.NODE_OPTIONS ?? '', ...process.execArgv].join(' '));

/**
 * V8 drops compiled functions that have not run for some garbage collections. Functions of a take-over would be gone
 * when they are needed, and missing in the code that is stored.
 */
const keepFunctions = (isKept) => {
  if (!isFlushGiven()) setFlagsFromString(isKept ? '--no-flush-bytecode' : '--flush-bytecode');
};

/** Creates the compiled code, with the functions that have run. V8 accepts it only with the options of its creation. */
const createCode = (compiled) => {
  keepFunctions(false);
  try {
    return compiled.createCachedData();
  } finally {
    keepFunctions(true);
  }
};

/** Compiles a part. Code of another version of V8, or of another text, is ignored and marked (`cachedDataRejected`). */
export const compile = (root, { file }, text, cachedData) => {
  const compiled = new vm.Script(text.latin1Slice(), {
    filename: join(scriptFolder(root), file),
    cachedData,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  keepFunctions(true);
  return compiled;
};

/** Makes stack traces name the lines of the sources, in which each module has the lines of its file. */
const nameSources = (root, { parts, modules }) => {
  const folder = scriptFolder(root);
  const named = (site) => {
    const text = String(site);
    const at = text.indexOf(folder);
    const [place = '', name, line] =
      at === -1 ? [] : (/^([^/\\:]+):(\d+)/.exec(text.slice(at + folder.length)) ?? []);
    const part = parts.findIndex(({ file }) => file === name);
    const module = modules.findLast(([, , , first, of]) => of === part && first <= Number(line));
    if (module === undefined) return text;
    const [kind, path, , first] = module;
    const file = kind === 'common' ? fileURLToPath(root + path) : root + path;
    const rest = text.slice(at + folder.length + place.length);
    return `${text.slice(0, at)}${file}:${Number(line) - first + 1}${rest}`;
  };
  // Called when a stack is read, as Node's own formatter.
  Error.prepareStackTrace = (error, sites) => {
    let head;
    try {
      head = Error.prototype.toString.call(error);
    } catch {
      head = '<error>';
    }
    return [head, ...sites.map(named)].join('\n    at ');
  };
};

/** A process that is debugged or measured needs the files. */
const isObserved = () =>
  hasPreloads() ||
  process.env.NODE_V8_COVERAGE !== undefined ||
  /--(inspect|watch)/.test([process.env.NODE_OPTIONS ?? '', ...process.execArgv].join(' '));

/** Growth of the compiled code from which it is stored again. */
const worthStoring = 1.02;

/** Files that are open until they are read. */
const createFiles = () => {
  const opened = new Set();
  const close = (file) => {
    opened.delete(file);
    closeSync(file);
  };
  return {
    open(path) {
      const file = openSync(path);
      opened.add(file);
      return file;
    },
    read(file) {
      try {
        return readFileSync(file);
      } finally {
        close(file);
      }
    },
    /** Closes those that were not read. */
    closeAll: () => opened.forEach(close),
  };
};

/**
 * Opens the files of a part, which are read later: they may be removed by then, when another process writes the script
 * of other sources. Throws if one is missing or incomplete.
 */
const openPart = (root, part, files) => {
  const folder = scriptFolder(root);
  const codeFile = join(folder, codeName(part.file));
  const textFile = files.open(join(folder, part.file));
  const storedFile = files.open(codeFile);
  if (fstatSync(textFile).size !== part.bytes) throw new Error(`${part.file} is incomplete`);
  let script;
  let isPractised = false;
  const readCode = () => {
    try {
      const stored = codeIn(files.read(storedFile));
      ({ isPractised } = stored);
      return stored.code;
    } catch {
      return undefined;
    }
  };
  return {
    /** Returns the functions of its modules. Without compiled code that fits, each is compiled when it runs. */
    run() {
      script = compile(root, part, files.read(textFile), readCode());
      return script.runInThisContext();
    },
    /** Whether the compiled code is in use. */
    isCompiled: () => script.cachedDataRejected === false,
    /** Stores the compiled code again if it has grown by functions that have run since. Blocks meanwhile. */
    async renew() {
      if (script === undefined) return false;
      const grown = createCode(script);
      const { size } = await stat(codeFile);
      if (grown.length < size * worthStoring) return false;
      await writeCodeLater(codeFile, grown, isPractised);
      return true;
    },
  };
};

/** Opens the parts and runs the first one. Throws, with all files closed, if that is impossible. */
const openParts = (root, descriptions) => {
  const files = createFiles();
  try {
    const parts = descriptions.map((part) => openPart(root, part, files));
    const first = parts[0].run();
    if (!parts[0].isCompiled()) throw new Error('the compiled code is damaged or does not fit this process');
    return { parts, first };
  } catch (error) {
    files.closeAll();
    throw error;
  }
};

/** Reads the script of the current sources. Throws an error with the reason if it cannot be used. */
const openScript = (root) => {
  const description = readDescription(root);
  const { parts, first } = openParts(root, description.parts);
  nameSources(root, description);
  return {
    ...createLoader(root, description.modules, (part) => (part === 0 ? first : parts[part].run())),
    /** Stores the compiled code of the parts that have grown. Returns whether one has. */
    async renew() {
      let isStored = false;
      for (const { renew } of parts) isStored = (await renew()) || isStored;
      return isStored;
    },
  };
};

/**
 * Returns the functions that load the script of the current sources; `null` if it cannot be used: then the modules are
 * loaded one by one. `code` is a `LoadedCode` (src/start/next-start.ts). `root` is the URL of the project's folder.
 */
export const useScript = (root) => {
  if (isObserved())
    return { script: null, code: { from: 'modules', because: 'this process is observed', isWanted: false } };
  try {
    const { renew, ...script } = openScript(root);
    return { script, code: { from: 'script', renew } };
  } catch (error) {
    return { script: null, code: { from: 'modules', because: error.message, isWanted: true } };
  }
};

/** Stores a part. Returns its description. */
export const writePart = (root, text) => {
  const file = `${contentHash(text).slice(0, 16)}.js`;
  writeWhole(join(scriptFolder(root), file), text);
  return { file, bytes: text.length };
};

/**
 * The script of the current sources with compiled code for this process: its description, the texts of its parts, and
 * whether the code has the functions of practice calls. `null` if something is missing or damaged.
 */
export const findScript = (root) => {
  const folder = scriptFolder(root);
  try {
    const description = readDescription(root);
    const texts = description.parts.map(({ file }) => readFileSync(join(folder, file)));
    const codes = description.parts.map(({ file }) => codeIn(readFileSync(join(folder, codeName(file)))));
    const areWhole = texts.every((text, part) =>
      description.parts[part].file.startsWith(contentHash(text).slice(0, 16)),
    );
    return areWhole ? { description, texts, isPractised: codes[0].isPractised } : null;
  } catch {
    return null;
  }
};

/** Stores the compiled code of a part that has run. */
export const storeCode = (root, { file }, compiled, isPractised) => {
  const code = createCode(compiled);
  writeWhole(join(scriptFolder(root), codeName(file)), headOf(code, isPractised), code);
};
