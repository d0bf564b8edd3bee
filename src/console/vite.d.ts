/** URL of a script that is built separately from the page. */
declare module '*?worker&url' {
  const address: string;
  export default address;
}
