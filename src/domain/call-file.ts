/** A call as a file, which the console opens without the gateway of the call. */

export const callFileType = 'application/vnd.trunkline.call+json';

/** The first two fields of each file. A reader refuses a higher version. */
export const callFileFormat = 'trunkline.call';
export const callFileVersion = 1;

/** Largest recording in a file, in bytes: hours of speech. */
export const mostAudioBytes = 32 * 1024 * 1024;
