/** A script of its own, built beside the page, as its address. */
declare module '*?worker&url' {
  const address: string;
  export default address;
}
