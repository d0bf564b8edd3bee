/** Byte range of a file; both ends are inclusive, as in a `Range` header. */
export type ByteRange = { start: number; end: number };

/** An opened recording: read it once or close it. Reading closes it at the end. */
export type OpenRecording<Stream> = {
  bytes: number;
  read(range?: ByteRange): Promise<Stream>;
  close(): Promise<void>;
};
