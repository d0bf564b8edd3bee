/**
 * Executes the work of a process's threads synchronously, so that its order is the callers'. `isWanted` returns whether
 * a simulation is running.
 */
import { createHash } from 'node:crypto';
import type fs from 'node:fs';
import promises from 'node:fs/promises';
import { Readable } from 'node:stream';

/** File functions that a gateway uses; other ones are unchanged. */
const waiting = {
  access: 'accessSync',
  link: 'linkSync',
  mkdir: 'mkdirSync',
  readdir: 'readdirSync',
  readFile: 'readFileSync',
  rename: 'renameSync',
  rm: 'rmSync',
  stat: 'statSync',
  writeFile: 'writeFileSync',
} as const satisfies Partial<Record<keyof typeof promises, keyof typeof fs>>;

/** Removes flushes: a power failure of the simulating machine is irrelevant. */
const withoutFlush = (values: unknown[]): unknown[] =>
  values.map((value) =>
    value instanceof Object && 'flush' in value ? Object.assign({}, value, { flush: false }) : value,
  );

/** Functions of an open file that a gateway uses; a flush does nothing. */
const openAtOnce = (files: typeof fs, ...[path, flags, mode]: Parameters<typeof fs.openSync>) => {
  const file = files.openSync(path, flags, mode);
  const close = async (): Promise<void> => files.closeSync(file);
  return {
    close,
    [Symbol.asyncDispose]: close,
    appendFile: async (bytes: Uint8Array): Promise<void> => files.appendFileSync(file, bytes),
    async read(buffer: Uint8Array, offset: number, length: number, position: number | null = null) {
      return { bytesRead: files.readSync(file, buffer, offset, length, position), buffer };
    },
    stat: async () => files.fstatSync(file),
    async sync(): Promise<void> {},
    createReadStream({ start = 0, end }: { start?: number; end: number }): Readable {
      const bytes = Buffer.alloc(Math.max(0, end + 1 - start));
      const bytesRead = files.readSync(file, bytes, 0, bytes.length, start);
      files.closeSync(file);
      return Readable.from([bytes.subarray(0, bytesRead)]);
    },
  };
};

/** Replacements for the functions of `node:fs/promises`. */
export const answerAtOnce = (files: typeof fs, isWanted: () => boolean): Record<string, unknown> => {
  const usual: Record<string, unknown> = { ...promises };
  const { glob: laterGlob, open: laterOpen } = promises;
  const open = async (path: string, flags = 'r', mode?: number): Promise<unknown> =>
    isWanted() ? openAtOnce(files, path, flags, mode) : laterOpen(path, flags, mode);
  async function* glob(pattern: string, options: { cwd: string }): AsyncGenerator<string> {
    if (isWanted()) yield* files.globSync(pattern, options);
    else yield* laterGlob(pattern, options);
  }
  const functions = Object.fromEntries(
    Object.entries(waiting).map(([name, nameOfWaiting]) => {
      const later = usual[name];
      const atOnce: unknown = Reflect.get(files, nameOfWaiting);
      if (typeof later !== 'function' || typeof atOnce !== 'function') throw new Error(`There is no ${name}`);
      return [
        name,
        async (...values: unknown[]): Promise<unknown> =>
          (isWanted() ? atOnce(...withoutFlush(values)) : later(...values)) as unknown,
      ];
    }),
  );
  return { ...functions, glob, open };
};

/** Replacement for `fs.readFile` of bytes, with which a WebAssembly library loads itself. */
export const readFileAtOnce = (files: typeof fs, isWanted: () => boolean) => {
  const later = files.readFile;
  return (path: string, ...rest: [...unknown[], (error: Error | null, bytes?: unknown) => void]): void => {
    if (!isWanted()) return void Reflect.apply(later, files, [path, ...rest]);
    const done = rest.at(-1);
    // Allocates separate memory, because such a library uses the whole underlying buffer.
    const bytes = new Uint8Array(files.readFileSync(path));
    if (typeof done === 'function') process.nextTick(done, null, bytes);
    return undefined;
  };
};

/** Members that are missing in the types of Node. */
export type WebAssemblyApi = {
  Module: new (source: Uint8Array) => object;
  Instance: new (module: object, imports: unknown) => object;
  instantiate: (source: Uint8Array, imports: unknown) => Promise<unknown>;
};

export const instantiateAtOnce = (
  { Module, Instance, instantiate: later }: WebAssemblyApi,
  isWanted: () => boolean,
): WebAssemblyApi['instantiate'] => {
  // Cached, because each gateway loads the same libraries and compiling takes long.
  const compiled = new Map<string, object>();
  return async (source, imports) => {
    if (!isWanted()) return later(source, imports);
    if (source instanceof Module) return new Instance(source, imports);
    const digest = createHash('sha256').update(source).digest('hex');
    const module = compiled.get(digest) ?? new Module(source);
    compiled.set(digest, module);
    return { module, instance: new Instance(module, imports) };
  };
};
