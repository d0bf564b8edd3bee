/** The test file whose test has begun last in this thread, if the thread has several (`together.ts`); '' otherwise. */
let inProgress = '';

export const fileInProgress = (): string => inProgress;

export const noteFile = (file: string): void => {
  inProgress = file;
};
