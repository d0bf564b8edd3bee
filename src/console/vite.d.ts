/** URL of a script that is built separately from the page. */
declare module '*?worker&url' {
  const address: string;
  export default address;
}

interface ImportMeta {
  /** Files by path, each loaded on demand. */
  glob<Content>(
    pattern: string,
    options: { query: '?raw'; import: 'default' },
  ): Readonly<Record<string, () => Promise<Content>>>;
}
