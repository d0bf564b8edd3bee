/**
 * Loads the gateway from its script (config/gateway-script.mjs), which must have been written. Prints as JSON
 *
 * - of the modules that are loaded during resumed calls: the number, and the modules of the turn of the event loop with the most;
 * - the modules that a gateway loads before it resumes calls, and the parts of the script that they are in;
 * - the files that Node loads by themselves although the script has them;
 * - the modules whose exports differ from those that Node finds;
 * - exported variables that are assigned after their module has run, which importers would not see.
 *
 * Runs in its own process.
 */
import { readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { useBundle } from '../../config/bundled-packages.mjs';
import { compile, createLoader, descriptionName, scriptFolder } from '../../config/gateway-script.mjs';

const root = new URL('../..', import.meta.url).href;
const folder = scriptFolder(root);
const description = JSON.parse(readFileSync(join(folder, descriptionName), 'utf8'));
const { parts, modules } = description;

let turn = 0;
const countTurns = () => {
  turn += 1;
  next = setImmediate(countTurns);
};
let next = setImmediate(countTurns);

const ran = new Map();
const opened = new Set();
/** Returns the functions of a part, which also note that they run. */
const openPart = (part) => {
  opened.add(part);
  const paths = modules.filter(([, , , , of]) => of === part).map(([, path]) => path);
  return compile(root, parts[part], readFileSync(join(folder, parts[part].file)))
    .runInThisContext()
    .map((run, place) =>
      run === null
        ? null
        : function (...given) {
            ran.set(paths[place], turn);
            return run.apply(this, given);
          },
    );
};
const loader = createLoader(root, modules, openPart);

const inScript = new Set(modules.map(([, path]) => root + path));
const alone = new Set();
const observing = registerHooks({
  load(url, context, nextLoad) {
    if (inScript.has(url)) alone.add(url.slice(root.length));
    return nextLoad(url, context);
  },
});

for (const path of ['src/run-gateway.ts', 'src/gateway.ts']) loader.load(path);
const before = [...ran.keys()];
for (const path of ['sip/drachtio/drachtio-lines.ts', 'sip/simulator/simulator-lines.ts']) loader.load(path);
const partsBefore = [...opened];
const beforeApi = new Set(ran.keys());
for (const path of ['src/parts/http.ts', 'src/api/mcp/answer-message.ts']) {
  await loader.importInPieces(root + path);
  loader.load(path);
}
/** A CommonJS module loads others itself. */
const isCommon = new Set(modules.filter(([kind]) => kind === 'common').map(([, path]) => path));
const duringCalls = [...ran].filter(([path]) => !beforeApi.has(path) && !isCommon.has(path));
const perTurn = Map.groupBy(duringCalls, ([, at]) => at);
clearImmediate(next);

// All others, such as those of settings.
const own = modules.filter(([kind]) => kind === 'own').map(([, path]) => path);
for (const path of own) loader.load(path);
observing.deregister();

useBundle(root);
const differing = [];
for (const [kind, path] of modules) {
  if (kind !== 'own' && kind !== 'bundled') continue;
  const kinds = (exported) =>
    Object.keys(exported)
      .toSorted()
      .map((name) => `${name}: ${typeof exported[name]}`)
      .join();
  if (kinds(loader.load(path)) !== kinds(await import(root + path))) differing.push(path);
}

const ofVite = createRequire(createRequire(import.meta.url).resolve('vite/package.json'));
const { parseSync } = await import(pathToFileURL(ofVite.resolve('rolldown/utils')).href);

/** Names that a function or a block declares, without those of functions in it. */
const declaredIn = (node, names = new Set()) => {
  const namesOf = (pattern) => {
    if (pattern === null || typeof pattern !== 'object') return;
    if (pattern.type === 'Identifier') names.add(pattern.name);
    else if (pattern.type === 'Property') namesOf(pattern.value);
    else if (pattern.type === 'AssignmentPattern') namesOf(pattern.left);
    else if (pattern.type === 'RestElement') namesOf(pattern.argument);
    else for (const part of [...(pattern.elements ?? []), ...(pattern.properties ?? [])]) namesOf(part);
  };
  const visit = (child) => {
    if (child === null || typeof child !== 'object') return;
    if (Array.isArray(child)) return child.forEach(visit);
    if (child.type === 'VariableDeclarator' || child.type === 'CatchClause') namesOf(child.id ?? child.param);
    if (child.type === 'FunctionDeclaration' || child.type === 'ClassDeclaration') namesOf(child.id);
    if (/Function/.test(child.type ?? '')) return;
    for (const value of Object.values(child)) visit(value);
  };
  for (const parameter of node.params ?? []) namesOf(parameter);
  visit(node.body);
  return names;
};

/** Exported names of a module that one of its functions assigns. */
const reassignedIn = (path) => {
  const { program, module: parsed } = parseSync(path, readFileSync(fileURLToPath(root + path), 'utf8'));
  const exported = new Set(
    parsed.staticExports.flatMap(({ entries }) => entries.map(({ localName }) => localName.name)),
  );
  const found = new Set();
  const visit = (node, scopes) => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) return node.forEach((child) => visit(child, scopes));
    const target =
      node.type === 'AssignmentExpression'
        ? node.left
        : node.type === 'UpdateExpression'
          ? node.argument
          : null;
    if (
      target?.type === 'Identifier' &&
      scopes.length > 0 &&
      exported.has(target.name) &&
      !scopes.some((names) => names.has(target.name))
    )
      found.add(`${path}: ${target.name}`);
    // A function that is called where it stands runs with its module.
    if (node.type === 'CallExpression') {
      let callee = node.callee;
      while (callee.type === 'ParenthesizedExpression') callee = callee.expression;
      if (scopes.length === 0 && /Function/.test(callee.type)) {
        visit(callee.body, scopes);
        return visit(node.arguments, scopes);
      }
    }
    const inner = /Function/.test(node.type ?? '') ? [...scopes, declaredIn(node)] : scopes;
    for (const value of Object.values(node)) visit(value, inner);
  };
  visit(program, []);
  return [...found];
};

process.stdout.write(
  JSON.stringify({
    modules: duringCalls.length,
    inOneTurn: [...perTurn.values()]
      .map((of) => of.map(([path]) => path))
      .toSorted((one, other) => other.length - one.length)[0],
    before,
    partsBefore,
    own: own.length,
    alone: [...alone],
    differing,
    reassigned: modules.filter(([kind]) => kind === 'bundled').flatMap(([, path]) => reassignedIn(path)),
  }),
);
process.exit(0);
