/** Something that is opened at its first use, and closed only if it was opened. */
export type OpenedLate<Opened> = {
  /** Rejects after `close`, and if opening fails. */
  get(): Promise<Opened>;
  close(): Promise<void>;
};

export const openLate = <Opened>(
  open: () => Promise<Opened>,
  close: (opened: Opened) => Promise<void>,
): OpenedLate<Opened> => {
  let opening: Promise<Opened> | undefined;
  let isClosed = false;
  return {
    get() {
      if (opening === undefined && isClosed)
        return Promise.reject(new Error('This was closed before its use'));
      opening ??= open();
      return opening;
    },
    async close() {
      isClosed = true;
      if (opening !== undefined) await close(await opening);
    },
  };
};
