/** Reads the regular expressions of a source file: literals, and `RegExp` calls with constant arguments. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor, type ESTree } from 'vite';

const root = join(import.meta.dirname, '../..');

export type Expression = { source: string; flags: string };

export type FoundExpressions = {
  expressions: Expression[];
  /** Source text of `RegExp` calls whose arguments are not constant. */
  unknown: string[];
};

type Constants = ReadonlyMap<string, ESTree.Expression>;

/** Returns the string value of an expression; undefined if it is not constant. */
const textOf = (node: ESTree.Node | undefined, constants: Constants): string | undefined => {
  if (node === undefined) return undefined;
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type === 'Identifier') return textOf(constants.get(node.name), constants);
  if (node.type === 'TaggedTemplateExpression') return templateText(node.quasi, constants, 'raw');
  if (node.type === 'TemplateLiteral') return templateText(node, constants, 'cooked');
  return undefined;
};

const templateText = (
  { quasis, expressions }: ESTree.TemplateLiteral,
  constants: Constants,
  form: 'raw' | 'cooked',
): string | undefined => {
  const parts = quasis.flatMap(({ value }, index) => [
    value[form] ?? undefined,
    ...(index < expressions.length ? [textOf(expressions[index], constants)] : []),
  ]);
  return parts.includes(undefined) ? undefined : parts.join('');
};

const constantsOf = (program: ESTree.Program): Constants => {
  const found = new Map<string, ESTree.Expression>();
  for (const statement of program.body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type !== 'VariableDeclaration' || declaration.kind !== 'const') continue;
    for (const { id, init } of declaration.declarations)
      if (id.type === 'Identifier' && init !== null) found.set(id.name, init);
  }
  return found;
};

export const readExpressions = (path: string, text: string): FoundExpressions => {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be read: ${errors[0]?.message}`);
  const constants = constantsOf(program);
  const expressions: Expression[] = [];
  const unknown: string[] = [];

  const made = ({
    callee,
    arguments: [pattern, flags],
    start,
    end,
  }: ESTree.NewExpression | ESTree.CallExpression) => {
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return;
    const source = textOf(pattern, constants);
    const known = flags === undefined ? '' : textOf(flags, constants);
    if (source === undefined || known === undefined) unknown.push(text.slice(start, end));
    else expressions.push({ source, flags: known });
  };

  new Visitor({
    NewExpression: made,
    CallExpression: made,
    Literal(node) {
      if ('regex' in node) expressions.push({ source: node.regex.pattern, flags: node.regex.flags });
    },
  }).visit(program);
  return { expressions, unknown };
};

/** The expressions of every file that runs in the gateway; the console runs in the browser of its user. */
export const allExpressions = (): (FoundExpressions & { path: string })[] =>
  globSync('{config,machines,sip,src}/**/*.{ts,tsx,mjs}', { cwd: root })
    .filter((path) => !path.startsWith('src/console/'))
    .sort()
    .map((path) => ({ path, ...readExpressions(path, readFileSync(join(root, path), 'utf8')) }));
