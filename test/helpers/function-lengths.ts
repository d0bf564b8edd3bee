/** The lengths of the functions of a source file. */
import { parseSync, Visitor } from 'vite';

export type FunctionLength = { path: string; firstLine: number; lines: number };

type Node = { start: number; end: number; body: object | null };

/** Every function of the file, also one within another; declarations without a body are none. */
export const functionLengths = (path: string, text: string): FunctionLength[] => {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be read: ${errors[0]?.message}`);
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length;
  const found: FunctionLength[] = [];
  const add = ({ start, end, body }: Node): void => {
    if (body === null) return;
    const firstLine = lineAt(start);
    found.push({ path, firstLine, lines: lineAt(end) - firstLine + 1 });
  };
  new Visitor({ FunctionDeclaration: add, FunctionExpression: add, ArrowFunctionExpression: add }).visit(
    program,
  );
  return found;
};
