/** A channel of FreeSWITCH: a SIP dialog with drachtio-server, an event socket of its own, and its sound. */
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { patienceMs } from './mailbox.ts';
import {
  apiResponse,
  commandReply,
  createCommandReader,
  disconnectNotice,
  jsonEvent,
  plainFields,
  type SocketCommand,
} from './event-socket-messages.ts';
import type { FarCall } from './far-end.ts';
import { describeSound, directionIn, formatsIn } from './session-description.ts';
import { methodOf, mustHave, statusOf, type SipMessage } from './sip-message.ts';
import { startUnicast, type Unicast } from './unicast.ts';

const opposite: Readonly<Record<string, 'sendrecv' | 'recvonly' | 'sendonly' | 'inactive'>> = {
  sendonly: 'recvonly',
  recvonly: 'sendonly',
  inactive: 'inactive',
};

/** An offer where there is none to be answered. */
const describe = (remoteSdp: string, port: number): string =>
  remoteSdp === ''
    ? describeSound({ port, formats: [0, 8, 101] })
    : describeSound({
        port,
        formats: formatsIn(remoteSdp).filter((format) => [0, 8, 101].includes(format)),
        direction: opposite[directionIn(remoteSdp)] ?? 'sendrecv',
      });

/** Of a channel to which so many packets have come, and as many went from it; as they are when they were asked for. */
const soundOf = (packets: number): Record<string, string> => ({
  variable_rtp_use_codec_name: 'PCMU',
  variable_rtp_audio_in_packet_count: String(packets),
  variable_rtp_audio_out_packet_count: String(packets),
  variable_rtp_audio_in_jitter_loss_rate: '0.00',
});

export type MediaChannelOptions = {
  call: FarCall;
  invite: SipMessage;
  /** Of its sound; nothing listens there. */
  port: number;
  onOver: () => void;
};

export class MediaChannel {
  readonly uuid = crypto.randomUUID();
  /** The other party's description; '' until it is known. */
  remoteSdp: string;
  /** Its sound; `null` until it is asked for, and when it is over. */
  sound: Unicast | null = null;
  /** The keys that it was told to send. */
  pressed = '';
  readonly variables = new Map<string, string>();
  readonly #options: MediaChannelOptions;
  #localSdp: string;
  #socket: Socket | null = null;
  /** Its sound before it was over. */
  #pastSound: Unicast | null = null;
  #isOver = false;
  #isWatched = false;
  /** Events that its socket is told of. */
  #wanted: ReadonlySet<string> = new Set();
  readonly #events = new EventEmitter();

  constructor(options: MediaChannelOptions) {
    this.#options = options;
    this.remoteSdp = options.invite.body;
    this.#localSdp = describe(this.remoteSdp, options.port);
  }

  /** The INVITE that it began with is accepted. */
  answer(): void {
    this.#options.call.answers(200, { sdp: this.#localSdp });
  }

  /** Whatever comes by SIP after that. */
  take(message: SipMessage): void {
    if (statusOf(message) !== undefined) return;
    const { call, port } = this.#options;
    switch (methodOf(message)) {
      case 'ACK':
        if (message.body !== '') this.remoteSdp = message.body;
        this.#socket ??= this.#openSocket();
        break;
      case 'INVITE':
        this.remoteSdp = message.body;
        this.#localSdp = describe(this.remoteSdp, port);
        this.answer();
        break;
      case 'BYE':
        call.answers(200);
        if (!this.#isOver) this.#end('NORMAL_CLEARING');
        break;
      default:
        call.answers(200);
    }
  }

  /** A command about it, from its own event socket or another one. */
  runApi(command: string): string {
    const [name = '', , ...rest] = command.split(' ');
    switch (name) {
      case 'uuid_set_media_stats':
        return '+OK:\n';
      case 'uuid_dump':
        return plainFields(this.#data());
      case 'eval':
        return this.#expand(rest.join(' '));
      case 'uuid_send_dtmf':
        this.pressed += rest.join(' ');
        this.#events.emit('pressed');
        return `+OK ${this.uuid} sent DTMF ${rest.join(' ')}.\n`;
      case 'uuid_setvar':
        this.variables.set(rest[0] ?? '', rest.slice(1).join(' '));
        return '+OK\n';
      case 'uuid_getvar':
        return this.variables.get(rest[0] ?? '') ?? '_undef_';
      case 'uuid_kill':
        this.hangUp('NORMAL_CLEARING');
        return '+OK\n';
      default:
        return `-ERR ${name} Command not found!\n`;
    }
  }

  /** Somebody presses a key at the other end. */
  hearsKey(digit: string): void {
    this.#tell('DTMF', { 'DTMF-Digit': digit, 'DTMF-Duration': '1600', 'DTMF-Source': 'RTP' });
  }

  /** Resolves as soon as whoever asked for it hears of its events, or it is over. */
  async untilWatched(): Promise<void> {
    if (!this.#isWatched && !this.#isOver)
      await once(this.#events, 'watched', { signal: AbortSignal.timeout(patienceMs) });
  }

  /** Resolves as soon as its sound is connected. */
  async untilConnected(): Promise<void> {
    if (this.sound === null)
      await once(this.#events, 'connected', { signal: AbortSignal.timeout(patienceMs) });
    await this.sound?.opened;
  }

  /** Resolves as soon as it was told to send these. */
  async untilPressed(keys: string): Promise<void> {
    while (!this.pressed.endsWith(keys))
      await once(this.#events, 'pressed', { signal: AbortSignal.timeout(patienceMs) });
  }

  /** FreeSWITCH ends it, for example because no sound comes. `execution`: of the application that did so. */
  hangUp(cause: string, execution?: Record<string, string>): void {
    if (this.#isOver) return;
    const { call } = this.#options;
    call.sends('BYE', { headers: { Reason: `Q.850;cause=16;text="${cause}"` } });
    if (execution !== undefined) this.#tell('CHANNEL_EXECUTE_COMPLETE', execution);
    // The application in which it ran.
    this.#tell('CHANNEL_EXECUTE_COMPLETE', { Application: 'park' });
    this.#end(cause);
  }

  /** It is gone without a word: its process has died. */
  vanish(): void {
    this.#isOver = true;
    this.#events.emit('watched');
    this.#socket?.destroySoon();
    this.sound?.close();
    this.#options.onOver();
  }

  #end(cause: string): void {
    this.#isOver = true;
    this.#events.emit('watched');
    this.#tell('CHANNEL_CALLSTATE', { 'Original-Channel-Call-State': 'ACTIVE', 'Hangup-Cause': cause });
    this.#socket?.end(disconnectNotice(this.uuid));
    this.sound?.close();
    this.#pastSound = this.sound;
    this.sound = null;
    this.#options.onOver();
  }

  #say(text: string): void {
    if (this.#socket?.writable === true) this.#socket.write(text);
  }

  /** What every event says of its channel. */
  #fields(): Record<string, string> {
    return {
      'Channel-State': this.#isOver ? 'CS_HANGUP' : 'CS_EXECUTE',
      'Channel-Call-State': this.#isOver ? 'HANGUP' : 'ACTIVE',
      'Unique-ID': this.uuid,
      'Call-Direction': 'inbound',
      'Answer-State': this.#isOver ? 'hangup' : 'answered',
    };
  }

  #tell(name: string, fields: Record<string, string>): void {
    if (this.#wanted.has(name)) this.#say(jsonEvent({ 'Event-Name': name, ...this.#fields(), ...fields }));
  }

  /** With its variables, as far as anybody asks for them. */
  #data(): Record<string, string> {
    const { call, invite, port } = this.#options;
    return {
      'Event-Name': 'CHANNEL_DATA',
      ...this.#fields(),
      variable_uuid: this.uuid,
      variable_sip_user_agent: mustHave(invite, 'User-Agent'),
      variable_sip_call_id: call.callId,
      variable_rtp_local_sdp_str: this.#localSdp,
      variable_local_media_ip: '127.0.0.1',
      variable_local_media_port: String(port),
      variable_switch_r_sdp: this.remoteSdp,
    };
  }

  /** One for each 20 ms. */
  #packets(): number {
    return (this.sound ?? this.#pastSound)?.ticks() ?? 0;
  }

  /** Fields of events and dumps by their names; what there is not is nothing. */
  #expand(expression: string): string {
    const data: Record<string, string> = { ...this.#data(), ...soundOf(this.#packets()) };
    return expression.replace(/\$\{(\w+)\}/g, (_, name: string) => data[name] ?? '');
  }

  /** To whoever asked for the channel. */
  #openSocket(): Socket {
    const [host = '', port = ''] = mustHave(this.#options.invite, 'X-esl-outbound').split(':');
    const socket = connect(Number(port), host);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on(
      'data',
      createCommandReader((command) => this.#obey(command)),
    );
    return socket;
  }

  #obey(command: SocketCommand): void {
    const [verb = '', ...words] = command.line.split(' ');
    switch (verb) {
      case 'connect': {
        const head = { 'Channel-Unique-ID': this.uuid, 'Content-Type': 'command/reply', 'Reply-Text': '+OK' };
        const modes = { 'Socket-Mode': 'async', Control: 'full' };
        return this.#say(`${plainFields({ ...this.#data(), ...head, ...modes })}\n`);
      }
      case 'event':
        this.#wanted = new Set(words);
        return this.#say(commandReply('+OK event listener enabled json'));
      case 'filter':
        this.#isWatched = true;
        this.#events.emit('watched');
        return this.#say(commandReply(`+OK filter added. [${words[0] ?? ''}]=[${words[1] ?? ''}]`));
      case 'sendmsg':
        return command.headers.get('call-command') === 'unicast'
          ? this.#connectSound(command)
          : this.#execute(command);
      case 'api':
        return this.#say(apiResponse(this.runApi(words.join(' '))));
      default:
        return this.#say(commandReply('-ERR command not found'));
    }
  }

  #execute({ headers }: SocketCommand): void {
    const application = headers.get('execute-app-name') ?? '';
    const argument = headers.get('execute-app-arg') ?? '';
    const execution = {
      Application: application,
      ...(argument === '' ? {} : { 'Application-Data': argument }),
      'Application-UUID': headers.get('Event-UUID') ?? '',
    };
    this.#say(commandReply('+OK'));
    this.#tell('CHANNEL_EXECUTE', execution);
    if (application === 'hangup') this.hangUp('NORMAL_CLEARING', execution);
    else this.#tell('CHANNEL_EXECUTE_COMPLETE', execution);
  }

  #connectSound({ headers }: SocketCommand): void {
    if (this.#isOver) return this.#say(commandReply('-ERR No such session'));
    if (this.sound !== null) throw new Error('A second unicast would be the end of a FreeSWITCH');
    this.sound = startUnicast(headers);
    this.#events.emit('connected');
    return this.#say(commandReply('+OK'));
  }
}
