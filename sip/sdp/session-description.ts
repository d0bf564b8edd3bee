/**
 * Parts of session descriptions (RFC 8866): the lines of the whole session, and one section for each media. The value
 * of an attribute is that of the section, else that of the session; attributes of other sections never count.
 *
 * sdp-transform (3.0.0) is not used, for three reasons. The library tries some fifty expressions on each attribute:
 * 12,000 unknown attributes take 302 ms, against 3 ms with this module in the same run, and offers come from strangers.
 * The library skips broken lines, which this module reports as a reason for refusal. The library rewrites the whole
 * description in its own order, whereas the gateway forwards a description to the media server unmodified except for
 * the intended lines.
 */

/** Address families as descriptions name them. */
export const families = ['IP4', 'IP6'] as const;
export type Family = (typeof families)[number];

export type MediaDirection = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

export type MediaSection = {
  /** The `m=` line. */
  line: string;
  /** `audio`, `video` and so on. */
  kind: string;
  /** Port; 0 means that this media is refused, or no longer offered. */
  port: number;
  /** Transport protocol, such as `RTP/AVP`. */
  protocol: string;
  formats: readonly string[];
  /** Whether the `m=` line is invalid. */
  isBroken: boolean;
  /** The lines below the `m=` line. */
  lines: readonly string[];
};

export type SessionDescription = { session: readonly string[]; media: readonly MediaSection[] };

const mediaLine = /^m=(\S+) (\d{1,5})(?:\/\d+)? (\S+)((?: \S+)+)$/;

const sectionOf = ([line = '', ...lines]: readonly string[]): MediaSection => {
  const [, kind = '', port = '', protocol = '', formats = ''] = mediaLine.exec(line) ?? [];
  const isBroken = kind === '' || Number(port) > 65_535;
  return {
    line,
    kind: isBroken ? (/^m=(\S*)/.exec(line)?.[1] ?? '') : kind,
    port: isBroken ? 0 : Number(port),
    protocol,
    formats: formats.trim().split(' '),
    isBroken,
    lines,
  };
};

export const linesOf = (sdp: string): string[] => sdp.split(/\r?\n/).filter((line) => line !== '');

export const parseDescription = (sdp: string): SessionDescription => {
  const lines = linesOf(sdp);
  const starts = lines.flatMap((line, index) => (line.startsWith('m=') ? [index] : []));
  return {
    session: lines.slice(0, starts[0]),
    media: starts.map((start, index) => sectionOf(lines.slice(start, starts[index + 1]))),
  };
};

export const formatDescription = ({ session, media }: SessionDescription): string =>
  [...session, ...media.flatMap(({ line, lines }) => [line, ...lines]), ''].join('\r\n');

const isLive = ({ port }: MediaSection): boolean => port !== 0;

/** Returns the audio of a description: the first with a port, else the first; undefined without audio. */
export const audioOf = ({ media }: SessionDescription): MediaSection | undefined => {
  const audios = media.filter(({ kind }) => kind === 'audio');
  return audios.find(isLive) ?? audios[0];
};

type Lines = Pick<SessionDescription, 'session'>;

const lineFor = (
  { session }: Lines,
  { lines }: MediaSection,
  isWanted: (line: string) => boolean,
): string | undefined => lines.find(isWanted) ?? session.find(isWanted);

const isConnection = (line: string): boolean => line.startsWith('c=');

/** Returns the address for a media section; undefined if its `c=` line is missing or invalid. */
export const connectionFor = (
  description: Lines,
  section: MediaSection,
): { family: Family; address: string } | undefined => {
  const line = lineFor(description, section, isConnection) ?? '';
  const [, family, address] = /^c=IN (IP[46]) (\S+)$/.exec(line) ?? [];
  if (family === undefined || address === undefined) return undefined;
  return { family: family === 'IP6' ? 'IP6' : 'IP4', address };
};

const directions: readonly MediaDirection[] = ['sendrecv', 'sendonly', 'recvonly', 'inactive'];

const directionIn = (line: string): MediaDirection | undefined =>
  directions.find((direction) => line === `a=${direction}`);

const isDirection = (line: string): boolean => directionIn(line) !== undefined;

/** Refuses a media section by setting its port to 0 (RFC 3264 section 6). */
const refused = (section: MediaSection): MediaSection => ({
  ...section,
  line: section.line.replace(/^(m=\S+ )\S+/, '$10'),
  port: 0,
  lines: [],
});

/** Returns the direction that the description states. An address of zeros is a hold by RFC 2543. */
const saidDirection = (description: Lines, section: MediaSection): MediaDirection | undefined =>
  directionIn(lineFor(description, section, isDirection) ?? '');

const isNowhere = (address: string | undefined): boolean => address === '0.0.0.0' || address === '::';

/**
 * Returns the activity of the description's author: whether it sends, and whether it wants to receive (RFC 3264 section
 * 5.1).
 */
export const activityOf = (
  description: Lines,
  section: MediaSection,
): { sends: boolean; receives: boolean } => {
  const direction = saidDirection(description, section) ?? 'sendrecv';
  const isOnHold = isNowhere(connectionFor(description, section)?.address);
  return {
    sends: direction === 'sendrecv' || direction === 'sendonly',
    receives: !isOnHold && (direction === 'sendrecv' || direction === 'recvonly'),
  };
};

/** Returns the same description with this direction of a section, which is `sendrecv` if none is stated. */
export const withDirection = (
  description: SessionDescription,
  section: MediaSection,
  direction: MediaDirection,
): SessionDescription => {
  if ((saidDirection(description, section) ?? 'sendrecv') === direction) return description;
  const lines = [...section.lines.filter((line) => !isDirection(line)), `a=${direction}`];
  const media = description.media.map((each) => (each === section ? { ...each, lines } : each));
  return { ...description, media };
};

/**
 * Returns the same description with an explicit direction for a hold by an address of zeros, which a media server may
 * overlook.
 */
export const withStatedHold = (
  description: SessionDescription,
  section: MediaSection,
): SessionDescription => {
  const { sends, receives } = activityOf(description, section);
  return receives ? description : withDirection(description, section, sends ? 'sendonly' : 'inactive');
};

/** Returns the same description with only this media, whose direction is moved into its section. */
export const withMediaAlone = (
  description: SessionDescription,
  section: MediaSection,
): SessionDescription => {
  const direction = saidDirection(description, section);
  const isGroup = (line: string): boolean => line.startsWith('a=group:');
  const own = section.lines.findIndex(isDirection);
  const lines = section.lines.filter((line, index) => !isDirection(line) || index === own);
  return {
    session: description.session.filter((line) => !isDirection(line) && !isGroup(line)),
    media: [
      { ...section, lines: own !== -1 || direction === undefined ? lines : [...lines, `a=${direction}`] },
    ],
  };
};

/** Returns our description with all media of another one in their order: ours at its index, the others refused. */
export const amongMedia = (media: readonly MediaSection[], place: number, own: string): string => {
  if (media.length < 2) return own;
  const { session, media: ours } = parseDescription(own);
  const audio = audioOf({ session, media: ours });
  return audio === undefined
    ? own
    : formatDescription({
        session,
        media: media.map((section, index) => (index === place ? audio : refused(section))),
      });
};

/**
 * Returns the successor of our last description: the same session, with a higher version if its content differs (RFC
 * 3264 section 8).
 */
export const successorOf = (last: string, next: string): string => {
  const [, session = '- 0', version = '0'] = /^o=(\S+ \S+) (\d+) /m.exec(last) ?? [];
  const asVersion = (number: number): string =>
    next.replace(/^o=\S+ \S+ \d+ /m, () => `o=${session} ${number} `);
  const same = asVersion(Number(version));
  return same === last ? same : asVersion(Number(version) + 1);
};
