/** What threads do for a process, done at once: its order is then the callers'. `isWanted` tells whether a simulation runs. */
import { createHash } from 'node:crypto';
import type fs from 'node:fs';
import promises from 'node:fs/promises';

/** Of what a gateway does with files; whatever else is asked for goes the usual way. */
const waiting = {
  access: 'accessSync',
  link: 'linkSync',
  mkdir: 'mkdirSync',
  readFile: 'readFileSync',
  rename: 'renameSync',
  rm: 'rmSync',
  stat: 'statSync',
  writeFile: 'writeFileSync',
} as const satisfies Partial<Record<keyof typeof promises, keyof typeof fs>>;

/** Nobody pulls the plug of the machine that simulates. */
const withoutFlush = (values: unknown[]): unknown[] =>
  values.map((value) =>
    value instanceof Object && 'flush' in value ? Object.assign({}, value, { flush: false }) : value,
  );

/** The functions of `node:fs/promises`. */
export const answerAtOnce = (files: typeof fs, isWanted: () => boolean): Record<string, unknown> => {
  const usual: Record<string, unknown> = { ...promises };
  const laterGlob = promises.glob;
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
  return { ...functions, glob };
};

/** `fs.readFile` of bytes, as a library of WebAssembly reads itself. */
export const readFileAtOnce = (files: typeof fs, isWanted: () => boolean) => {
  const later = files.readFile;
  return (path: string, ...rest: [...unknown[], (error: Error | null, bytes?: unknown) => void]): void => {
    if (!isWanted()) return void Reflect.apply(later, files, [path, ...rest]);
    const done = rest.at(-1);
    // In memory of its own, which such a library takes as a whole.
    const bytes = new Uint8Array(files.readFileSync(path));
    if (typeof done === 'function') process.nextTick(done, null, bytes);
    return undefined;
  };
};

/** The types of Node know nothing of it. */
export type WebAssemblyApi = {
  Module: new (source: Uint8Array) => object;
  Instance: new (module: object, imports: unknown) => object;
  instantiate: (source: Uint8Array, imports: unknown) => Promise<unknown>;
};

export const instantiateAtOnce = (
  { Module, Instance, instantiate: later }: WebAssemblyApi,
  isWanted: () => boolean,
): WebAssemblyApi['instantiate'] => {
  // Each gateway loads the same libraries; compiling is what takes long.
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
