/** Byte range of a file; both ends are inclusive, as in a `Range` header. */
export type ByteRange = { start: number; end: number };

/** An opened recording, which must be read once or closed. Reading to the end closes it. */
export type OpenRecording<Stream> = {
  bytes: number;
  read(range?: ByteRange): Promise<Stream>;
  close(): Promise<void>;
};
