/**
 * FreeSWITCH's audio statistics of a call, read by two commands: one writes them into channel variables, the other
 * reads only these, unlike `uuid_dump`, which returns all.
 */
import type { SoundFigures } from '#machines/sound-figures.ts';
import { addressText, callFigures } from '../../media/call-figures.ts';
import type { Commands } from './event-socket/commands.ts';

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

/** FreeSWITCH calculates its packet loss every five seconds, the first time before there is data. */
const tellingPackets = 300;

const said = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text);

const counted = (text: string | undefined): number | null =>
  text === undefined || !/^\d+(?:\.\d+)?$/.test(text) ? null : Number(text);

const place = (ip: string | undefined, port: string | undefined): string | null =>
  said(ip) === null || said(port) === null ? null : addressText(ip ?? '', port ?? '');

/** Converts FreeSWITCH's ratio of lost to received packets into the share of all sent packets. */
const lossOf = (lostToReceived: number | null, received: number | null): number | null =>
  lostToReceived === null || received === null || received < tellingPackets
    ? null
    : lostToReceived / (1 + lostToReceived);

/** Parses the answer to the second command; `null` if the channel is gone. */
export const readChannelFigures = (body: string): SoundFigures | null => {
  const values = body.trim().split('|');
  if (values.length !== fields.length) return null;
  const value = (name: keyof typeof names): string | undefined => values[fields.indexOf(name)];
  const received = counted(value('received'));
  return callFigures({
    codec: said(value('codec')),
    localAddress: place(value('localIp'), value('localPort')),
    remoteAddress: place(value('remoteIp'), value('remotePort')),
    received: { packets: received, loss: lossOf(counted(value('loss')), received), jitterMs: null },
    sent: { packets: counted(value('sent')), loss: null, jitterMs: null },
    roundTripMs: null,
    isHeardThere: null,
    isSentThere: null,
  });
};

export const askChannelFigures = async (
  uuid: string,
  { api }: Pick<Commands, 'api'>,
): Promise<SoundFigures | null> => {
  const expression = fields.map((field) => `\${variable_${names[field]}}`).join('|');
  const [, answer] = await Promise.all([
    api(`uuid_set_media_stats ${uuid}`),
    api(`eval uuid:${uuid} ${expression}`),
  ]);
  return readChannelFigures(answer);
};
