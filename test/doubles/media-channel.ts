/** A channel of FreeSWITCH: a SIP dialog with drachtio-server, commands by the event socket, and its audio. */
import { createSocket, type Socket } from 'node:dgram';
import { EventEmitter, once } from 'node:events';
import { pcmu } from '#sip/audio/g711.ts';
import { createSending } from '#sip/rtp/sending.ts';
import { patienceMs } from './mailbox.ts';
import type { SocketCommand } from './event-socket-messages.ts';
import type { FarCall } from './far-end.ts';
import { describeSound, directionIn, formatsIn } from './session-description.ts';
import { headerOf, methodOf, statusOf, type SipMessage } from './sip-parser.ts';
import { startUnicast, type Unicast } from './unicast.ts';

const opposite: Readonly<Record<string, 'sendrecv' | 'recvonly' | 'sendonly' | 'inactive'>> = {
  sendonly: 'recvonly',
  recvonly: 'sendonly',
  inactive: 'inactive',
};

/** The answer to an offer, or an offer if there is none. */
const describe = (remoteSdp: string, port: number): string =>
  remoteSdp === ''
    ? describeSound({ port, formats: [0, 8, 101] })
    : describeSound({
        port,
        formats: formatsIn(remoteSdp).filter((format) => [0, 8, 101].includes(format)),
        direction: opposite[directionIn(remoteSdp)] ?? 'sendrecv',
      });

/** Media statistics of a channel that received and sent this many packets, at the time of the query. */
const soundOf = (packets: number): Record<string, string> => ({
  variable_rtp_use_codec_name: 'PCMU',
  variable_rtp_audio_in_packet_count: String(packets),
  variable_rtp_audio_out_packet_count: String(packets),
  variable_rtp_audio_in_jitter_loss_rate: '0.00',
});

export type MediaChannelOptions = {
  call: FarCall;
  invite: SipMessage;
  /** RTP port; no socket listens there. */
  port: number;
  /** Called when a DTMF digit is received from the other end. */
  onDigit: (digit: string) => void;
  onOver: () => void;
};

export class MediaChannel {
  readonly uuid: string;
  /** The other party's session description; '' until known. */
  remoteSdp: string;
  /** Audio by unicast; `null` before it is started and after it is over. */
  sound: Unicast | null = null;
  /** DTMF digits that the channel was told to send. */
  pressed = '';
  /** The bridged channel; `null` without a bridge. */
  partner: MediaChannel | null = null;
  /** The channel on which this one eavesdrops, or `null`. */
  eavesdropsOn: string | null = null;
  readonly variables = new Map<string, string>();
  readonly #options: MediaChannelOptions;
  #localSdp: string;
  /** Unicast of the channel after its end. */
  #pastSound: Unicast | null = null;
  #isOver = false;
  #refusesNextOffer = false;
  #refusesNextVariable = false;
  #isAnswered = false;
  #isParked = false;
  readonly #events = new EventEmitter();
  #rtp: Socket | null = null;
  #nextRtp: Int16Array = new Int16Array();
  readonly #sending = createSending(
    { codec: pcmu, payloadType: 0, dtmfPayloadType: 101 },
    {
      read: (samples) => {
        samples.set(this.#nextRtp);
        return this.#nextRtp.length;
      },
    },
  );

  constructor(options: MediaChannelOptions) {
    this.#options = options;
    this.uuid = options.call.callId;
    this.remoteSdp = options.invite.body;
    this.#localSdp = describe(this.remoteSdp, options.port);
  }

  /** Accepts the initial INVITE, or a re-INVITE. */
  answer(): void {
    if (this.#isOver) return;
    this.#isAnswered = true;
    this.#options.call.answers(200, { sdp: this.#localSdp });
  }

  /** Answers the next re-INVITE with 488. */
  refuseNextOffer(): void {
    this.#refusesNextOffer = true;
  }

  /** Answers the next command that sets a variable with an error. */
  refuseNextVariable(): void {
    this.#refusesNextVariable = true;
  }

  /** Handles later SIP messages. */
  take(message: SipMessage): void {
    if (statusOf(message) !== undefined) return;
    const { call, port } = this.#options;
    switch (methodOf(message)) {
      case 'ACK':
        if (message.body !== '') this.remoteSdp = message.body;
        this.#isParked = true;
        this.#events.emit('parked');
        break;
      case 'INVITE':
        if (this.#refusesNextOffer) {
          this.#refusesNextOffer = false;
          call.answers(488);
          break;
        }
        this.remoteSdp = message.body;
        this.#localSdp = describe(this.remoteSdp, port);
        this.answer();
        break;
      case 'BYE':
        call.answers(200);
        if (!this.#isOver) this.#end();
        break;
      default:
        call.answers(200);
    }
  }

  /** A variable that was set, or a header of the initial INVITE. */
  variable(name: string): string | undefined {
    if (name === 'rtp_local_sdp_str') return this.#localSdp;
    const header = name.startsWith('sip_h_') ? headerOf(this.#options.invite, name.slice(6)) : undefined;
    return this.variables.get(name) ?? header;
  }

  /** Executes an API command about this channel. */
  runApi(command: string): string {
    const [name = '', , ...rest] = command.split(' ');
    switch (name) {
      case 'uuid_set_media_stats':
        return '+OK:\n';
      case 'eval':
        return this.#expand(rest.join(' '));
      case 'uuid_send_dtmf':
        this.pressed += rest.join(' ');
        this.#events.emit('pressed');
        return `+OK ${this.uuid} sent DTMF ${rest.join(' ')}.\n`;
      case 'uuid_setvar':
        if (this.#refusesNextVariable) {
          this.#refusesNextVariable = false;
          return '-ERR Operation failed\n';
        }
        this.variables.set(rest[0] ?? '', rest.slice(1).join(' '));
        return '+OK\n';
      case 'uuid_setvar_multi':
        for (const pair of rest.join(' ').split(';')) {
          const [variable = '', ...value] = pair.split('=');
          this.variables.set(variable, value.join('='));
        }
        return '+OK\n';
      case 'uuid_getvar':
        return this.variable(rest[0] ?? '') ?? '_undef_';
      case 'uuid_exists':
        return 'true';
      case 'uuid_kill':
        this.hangUp('NORMAL_CLEARING');
        return '+OK\n';
      default:
        return `-ERR ${name} Command not found!\n`;
    }
  }

  /** Sends 20 ms of RTP to the other end. */
  sendsRtp(samples: Int16Array): void {
    const [, port] = /^m=audio (\d+)/m.exec(this.remoteSdp) ?? [];
    this.#nextRtp = samples;
    this.#rtp ??= createSocket('udp4');
    this.#rtp.send(Buffer.from(this.#sending.next()), Number(port), '127.0.0.1');
  }

  /** Simulates a DTMF digit from the other end. */
  receivesDigit(digit: string): void {
    this.#options.onDigit(digit);
  }

  /** Resolves when the channel is parked and accepts commands, or has ended. */
  async untilParked(): Promise<void> {
    if (!this.#isParked && !this.#isOver)
      await once(this.#events, 'parked', { signal: AbortSignal.timeout(patienceMs) });
  }

  /** Resolves when its unicast is connected. */
  async untilConnected(): Promise<void> {
    if (this.sound === null)
      await once(this.#events, 'connected', { signal: AbortSignal.timeout(patienceMs) });
    await this.sound?.opened;
  }

  /** Resolves to whether its unicast has received a voice, when it has or the channel has ended. */
  async untilSpokenTo(): Promise<boolean> {
    while (!this.#isOver) {
      if (this.sound !== null) return this.sound.spokenTo;
      await Promise.race(['connected', 'over'].map((event) => once(this.#events, event)));
    }
    return false;
  }

  /** Resolves when the channel was told to send these digits. */
  async untilDigitsSent(digits: string): Promise<void> {
    while (!this.pressed.endsWith(digits))
      await once(this.#events, 'pressed', { signal: AbortSignal.timeout(patienceMs) });
  }

  /** FreeSWITCH hangs up, for example because there is no media. */
  hangUp(cause: string): void {
    if (this.#isOver) return;
    const { call } = this.#options;
    if (this.#isAnswered) call.sends('BYE', { headers: { Reason: `Q.850;cause=16;text="${cause}"` } });
    else call.answers(480);
    this.#end();
  }

  bridgeTo(other: MediaChannel): void {
    if (this.sound !== null)
      throw new Error('uuid_bridge would end a unicast in the thread of the event socket');
    this.partner = other;
    this.variables.set('bridge_to', other.uuid);
    this.#events.emit('bridged');
  }

  /** Resolves when the channel is bridged. */
  async untilBridged(): Promise<void> {
    if (this.partner === null)
      await once(this.#events, 'bridged', { signal: AbortSignal.timeout(patienceMs) });
  }

  /** Ends the bridge. The other side is hung up unless it is to be parked. */
  #endBridge(): void {
    const { partner } = this;
    if (partner === null) return;
    for (const side of [this, partner]) {
      side.partner = null;
      side.variables.delete('bridge_to');
    }
    if (partner.variable('park_after_bridge') !== 'true') partner.hangUp('NORMAL_CLEARING');
  }

  /** Ends without any message, because its process has died. */
  vanish(): void {
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#endBridge();
    this.#rtp?.close();
    this.#rtp = null;
    this.#events.emit('parked');
    this.#events.emit('over');
    this.sound?.close();
    this.#pastSound = this.sound;
    this.sound = null;
    this.#options.onOver();
  }

  /** Fields of the channel's data that a test needs. */
  #data(): Record<string, string> {
    return {
      variable_local_media_ip: '127.0.0.1',
      variable_local_media_port: String(this.#options.port),
    };
  }

  /** Packets sent or received: one for each 20 ms. */
  #packets(): number {
    return (this.sound ?? this.#pastSound)?.ticks() ?? 0;
  }

  /** Expands variables in an expression; missing ones are empty. */
  #expand(expression: string): string {
    const data: Record<string, string> = { ...this.#data(), ...soundOf(this.#packets()) };
    return expression.replace(/\$\{(\w+)\}/g, (_, name: string) => data[name] ?? '');
  }

  /** Runs the dialplan that parks the channel again, so that a new unicast may be started. */
  #repark(extension: string): void {
    const park = /^execute_extension again-(\d+) XML trunkline$/.exec(extension)?.[1];
    if (park === undefined) throw new Error(`A channel executes no ${extension} here`);
    this.#endBridge();
    this.variables.set('gw_park', park);
    this.sound?.close();
    this.sound = null;
  }

  /** Executes a `sendmsg` command. */
  handle({ headers }: SocketCommand): void {
    const [command, application] = [headers.get('call-command'), headers.get('execute-app-name')];
    if (command === 'xferext') return this.#repark(headers.get('application') ?? '');
    if (command === 'execute' && application === 'eavesdrop') {
      this.eavesdropsOn = headers.get('execute-app-arg') ?? '';
      return;
    }
    if (command !== 'unicast') throw new Error('A channel is told nothing else here');
    if (this.sound !== null) throw new Error('A second unicast would be the end of a FreeSWITCH');
    this.sound = startUnicast(headers);
    this.#events.emit('connected');
  }
}
