/**
 * FreeSWITCH's audio statistics of a call, read by two commands: the first writes them into channel variables, the
 * second reads only these variables. `uuid_dump`, in contrast, returns all variables.
 */
import type { MediaStatistics } from '#machines/media-statistics.ts';
import { addressText, callStatistics } from '#sip/rtp/call-statistics.ts';
import type { Commands } from './connection.ts';

const names = {
  codec: 'rtp_use_codec_name',
  localIp: 'local_media_ip',
  localPort: 'local_media_port',
  remoteIp: 'remote_media_ip',
  remotePort: 'remote_media_port',
  received: 'rtp_audio_in_packet_count',
  sent: 'rtp_audio_out_packet_count',
  loss: 'rtp_audio_in_jitter_loss_rate',
} as const;

const fields = Object.keys(names) as (keyof typeof names)[];

/**
 * Minimum number of packets. FreeSWITCH calculates its packet loss every five seconds, the first time before there is
 * data.
 */
const minPackets = 300;

const textOrNull = (text: string | undefined): string | null =>
  text === undefined || text === '' ? null : text;

const numberOrNull = (text: string | undefined): number | null =>
  text === undefined || !/^\d+(?:\.\d+)?$/.test(text) ? null : Number(text);

const addressOrNull = (ip: string | undefined, port: string | undefined): string | null =>
  textOrNull(ip) === null || textOrNull(port) === null ? null : addressText(ip ?? '', port ?? '');

/** Converts FreeSWITCH's ratio of lost to received packets into the share of all sent packets. */
const lossOf = (lostToReceived: number | null, received: number | null): number | null =>
  lostToReceived === null || received === null || received < minPackets
    ? null
    : lostToReceived / (1 + lostToReceived);

/** Parses the response to the second command; `null` if the channel no longer exists. */
export const parseChannelStatistics = (body: string): MediaStatistics | null => {
  const values = body.trim().split('|');
  if (values.length !== fields.length) return null;
  const value = (name: keyof typeof names): string | undefined => values[fields.indexOf(name)];
  const received = numberOrNull(value('received'));
  return callStatistics({
    codec: textOrNull(value('codec')),
    localAddress: addressOrNull(value('localIp'), value('localPort')),
    remoteAddress: addressOrNull(value('remoteIp'), value('remotePort')),
    received: { packets: received, loss: lossOf(numberOrNull(value('loss')), received), jitterMs: null },
    sent: { packets: numberOrNull(value('sent')), loss: null, jitterMs: null },
    roundTripMs: null,
    isHeardThere: null,
    isSentThere: null,
  });
};

export const queryChannelStatistics = async (
  uuid: string,
  { api }: Pick<Commands, 'api'>,
): Promise<MediaStatistics | null> => {
  const expression = fields.map((field) => `\${variable_${names[field]}}`).join('|');
  const [, answer] = await Promise.all([
    api(`uuid_set_media_stats ${uuid}`),
    api(`eval uuid:${uuid} ${expression}`),
  ]);
  return parseChannelStatistics(answer);
};
