/**
 * Reads the body of a SIP message by the message's headers: the whole body, or a part of a multipart body (RFC 3261
 * section 7.4, RFC 5621). Most of these bodies are session descriptions.
 */
import {
  headerOf,
  parametrized,
  valuesIn,
  type Headers,
  type Parameters,
} from '../../headers/header-values.ts';
import { descriptionType } from './capabilities.ts';
import type { InviteRefusal } from './refusals.ts';

type Message = Headers & { body?: string | undefined };

/** A message, or one part of its body. */
type Entity = { header: (name: string) => string; content: string };

/** Maximum nesting depth of multipart bodies. */
const deepest = 4;

type HeaderValue = { value: string; parameters: Parameters };

/**
 * Parses a header such as `multipart/mixed; boundary="a b"`. The value before the parameters is returned in lower case.
 */
const valueOf = (header: string): HeaderValue => {
  const { value, parameters } = parametrized(valuesIn(header)[0] ?? '');
  return { value: value.replaceAll(/\s/g, '').toLowerCase(), parameters };
};

const headersIn = (lines: readonly string[]): Map<string, string> => {
  const headers = new Map<string, string>();
  let last = '';
  for (const line of lines) {
    const colon = line.indexOf(':');
    // A line that begins with a space continues the header before it.
    if (/^[ \t]/.test(line)) headers.set(last, `${headers.get(last) ?? ''} ${line.trim()}`);
    else if (colon !== -1) {
      last = line.slice(0, colon).trim().toLowerCase();
      headers.set(last, line.slice(colon + 1).trim());
    }
  }
  return headers;
};

/** A part of a multipart body, between two delimiters (RFC 2046 section 5.1.1). */
const partOf = (lines: readonly string[]): Entity => {
  const end = lines.findIndex((line) => line.trim() === '');
  const headers = headersIn(end === -1 ? lines : lines.slice(0, end));
  const content = end === -1 ? '' : lines.slice(end + 1).join('\n');
  return { header: (name) => headers.get(name.toLowerCase()) ?? '', content };
};

/** Returns the parts without the preamble and the epilogue. */
const partsIn = (content: string, boundary: string): Entity[] => {
  const parts: string[][] = [];
  for (const line of content.split('\n')) {
    const bare = line.trimEnd();
    if (bare === `--${boundary}--`) break;
    if (bare === `--${boundary}`) parts.push([]);
    else parts.at(-1)?.push(line);
  }
  return parts.map(partOf);
};

const decoded = (content: string, encoding: string): string => {
  if (encoding === 'base64') return Buffer.from(content, 'base64').toString();
  if (encoding !== 'quoted-printable') return content;
  return content
    .replaceAll(/=[ \t]*\r?\n/g, '')
    .replaceAll(/=([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
};

/** Required handling of unknown bodies. `unsaid`: the message does not state it. */
const handlings = ['none', 'optional', 'unsaid', 'required'] as const;
type Handling = (typeof handlings)[number];

/** Supported bodies: media types in lower case, with one of these dispositions or with none. */
export type Understood = { types: readonly string[]; dispositions: readonly string[] };

/**
 * Session descriptions. Other dispositions, such as `early-session` (RFC 3959), do not concern the session of the call.
 */
const descriptions: Understood = { types: [descriptionType], dispositions: ['session'] };

export type Body = { type: string; content: string };

/**
 * Result of reading a body. `unknown` is the strictest handling of unsupported parts, or `none` if all parts are
 * supported.
 */
type Reading = { body: Body | undefined; unknown: Handling };

const only = (body: Body | undefined): Reading => ({ body, unknown: 'none' });

const handlingOf = ({ header }: Entity): Handling => {
  const handling = valueOf(header('Content-Disposition')).parameters.get('handling')?.toLowerCase();
  return handling === 'optional' || handling === 'required' ? handling : 'unsaid';
};

const isEncoded = ({ header }: Entity): boolean =>
  !['', 'identity'].includes(valueOf(header('Content-Encoding')).value);

/**
 * Returns the type of a body. A body without a type counts as a description if it begins like one, as in
 * drachtio-server.
 */
const typeOf = ({ header, content }: Entity): HeaderValue => {
  const type = header('Content-Type');
  return valueOf(type === '' && content.startsWith('v=0') ? 'application/sdp' : type);
};

const strictest = (readings: readonly Reading[]): Handling =>
  handlings.findLast((handling) => readings.some(({ unknown }) => unknown === handling)) ?? 'none';

/** Reads the parts of a body, up to the maximum nesting depth. */
const readParts = (
  { type, entity }: { type: HeaderValue; entity: Entity },
  understood: Understood,
  depth: number,
): Reading => {
  const parts = depth === 0 ? [] : partsIn(entity.content, type.parameters.get('boundary') ?? '');
  const readings = parts.map((part) => read(part, understood, depth - 1));
  const found = readings.flatMap(({ body }) => body ?? []);
  // The last supported alternative counts; the other alternatives are optional.
  if (type.value === 'multipart/alternative' && found.length > 0) return only(found.at(-1));
  const handling = handlingOf(entity);
  const unknown = parts.length === 0 ? 'unsaid' : strictest(readings);
  return { body: found[0], unknown: unknown === 'none' || handling === 'unsaid' ? unknown : handling };
};

const read = (entity: Entity, understood: Understood, depth: number): Reading => {
  const type = typeOf(entity);
  if (isEncoded(entity)) return { body: undefined, unknown: handlingOf(entity) };
  if (type.value.startsWith('multipart/')) return readParts({ type, entity }, understood, depth);
  const disposition = valueOf(entity.header('Content-Disposition')).value;
  const isKnown = disposition === '' || understood.dispositions.includes(disposition);
  if (!isKnown || !understood.types.includes(type.value))
    return { body: undefined, unknown: handlingOf(entity) };
  const encoding = valueOf(entity.header('Content-Transfer-Encoding')).value;
  return only({ type: type.value, content: decoded(entity.content, encoding) });
};

const readMessage = (message: Message, understood: Understood): Reading => {
  const content = message.body ?? '';
  if (content === '') return only(undefined);
  // drachtio-srf expands the short form of Content-Encoding to `Contact-Encoding`.
  const header = (name: string): string =>
    headerOf(message, name) || (name === 'Content-Encoding' ? headerOf(message, 'Contact-Encoding') : '');
  return read({ header, content }, understood, deepest);
};

/** Returns the supported body; undefined if the message has no such body. Other bodies are skipped. */
export const bodyIn = (message: Message, understood: Understood): Body | undefined =>
  readMessage(message, understood).body;

/**
 * Returns the session description, which must end with a line break. In a multipart body that line break belongs to the
 * delimiter and is therefore added again.
 */
export const descriptionIn = (message: Message): string | undefined => {
  const body = bodyIn(message, descriptions);
  return body && `${body.content.trimEnd()}\r\n`;
};

/**
 * Returns the refusal of a request whose body is unsupported but required, or is its only content (RFC 3261 section
 * 8.2.3). Beside a supported body, a part is required only with an explicit `handling=required`, because location and
 * ISUP parts seldom state it.
 */
export const bodyProblem = (request: Message, understood = descriptions): InviteRefusal | undefined => {
  const { body, unknown } = readMessage(request, understood);
  if (unknown !== 'required' && (unknown !== 'unsaid' || body !== undefined)) return undefined;
  return {
    status: 415,
    reason: 'Unsupported Media Type',
    headers: { Accept: understood.types.join(', '), 'Accept-Encoding': 'identity' },
  };
};
