/** RTP session of one call on its two ports: outgoing stream, incoming stream, and RTCP reports about both. */
import { performance } from 'node:perf_hooks';
import type { RemoteInfo } from 'node:dgram';
import { pcma, pcmu } from '#sip/audio/g711.ts';
import type { SampleRing } from '#sip/audio/sample-ring.ts';
import type { Address, RtpAgreement } from './agreement.ts';
import { unguarded, type Guard } from './guard.ts';
import type { RtpPorts } from './ports.ts';
import { createProtection } from './protection.ts';
import { createReceiving, type Receiving, type ReceivingEvents, type ReceivingFormats } from './receiving.ts';
import { createRemote } from './remote.ts';
import { parseRtcp } from './rtcp.ts';
import { createSending, type Sending, type SendingFormat } from './sending.ts';
import { createReports, type RemoteStatistics } from './reports.ts';

export type RtpStatistics = RemoteStatistics & {
  sent: number;
  received: number;
  lost: number;
  jitterMs: number;
  /** Current target of outgoing audio; `null` before an agreement. */
  remote: Address | null;
  /** Milliseconds since the last RTP or RTCP packet, or since the agreement; `null` while no packets are expected. */
  silentMs: number | null;
};

export type RtpSession = {
  agree(agreement: RtpAgreement): void;
  press(keys: string): void;
  /** Sends the next packet and due reports. Must be called every 20 ms. */
  tick(): void;
  statistics(): RtpStatistics;
  close(): void;
};

const codecs = { PCMU: pcmu, PCMA: pcma } as const;

const nothingHeard = { packets: 0, lost: 0, jitterMs: 0 };

const formatOf = ({ codec, payloadType, dtmfPayloadType }: RtpAgreement): SendingFormat => ({
  codec: codecs[codec],
  payloadType,
  dtmfPayloadType,
});

const receivingFormatsOf = ({ receives }: RtpAgreement): ReceivingFormats =>
  new Map(
    [...receives].map(([payloadType, format]) => [
      payloadType,
      format === 'PCMU' || format === 'PCMA' ? codecs[format] : format,
    ]),
  );

/** State after the first agreement. */
type Standing = { agreement: RtpAgreement; sending: Sending; receiving: Receiving };

const begin = (
  agreement: RtpAgreement,
  ring: Pick<SampleRing, 'read'>,
  events: ReceivingEvents,
): Standing => ({
  agreement,
  sending: createSending(formatOf(agreement), ring),
  receiving: createReceiving(receivingFormatsOf(agreement), events),
});

// Errors are ignored: by ICMP, the far end reported a closed RTCP port. RTP continues until the call ends.
const ignoreError = (): void => {};

export const createRtpSession = (
  { rtp, rtcp, former, released }: RtpPorts,
  ring: Pick<SampleRing, 'read'>,
  events: ReceivingEvents,
  guard: Guard = unguarded,
): RtpSession => {
  let standing: Standing | null = null;
  /** Time of the far end's last packet, or of the media agreement; `null` while no packets are expected. */
  let expectedSince: number | null = null;
  const remote = createRemote(former);
  const reports = createReports();
  const { agreedOn, wrap, unwrap } = createProtection();

  const takeRtp = (datagram: Buffer, from: RemoteInfo): void => {
    // A sender at port 0 is ignored, because nothing can be sent there.
    if (standing === null || from.port === 0) return;
    const { agreement, receiving } = standing;
    const opened = unwrap.rtp(datagram);
    const packet = opened && receiving.read(opened);
    const at = performance.now();
    if (packet === undefined || !remote.admits(packet, { from, at, isAuthentic: agreement.keys !== null }))
      return;
    if (expectedSince !== null) expectedSince = at;
    receiving.take(packet, at);
  };
  const takeRtcp = (datagram: Buffer, from: RemoteInfo): void => {
    if (standing === null) return;
    const { agreement, sending } = standing;
    const opened = unwrap.rtcp(datagram);
    const sent = sending.soFar();
    const report = opened && parseRtcp(opened, sent.ssrc);
    if (report === undefined || report.ssrc === null) return;
    if (!remote.admitsReport(report.ssrc, { from, isAuthentic: agreement.keys !== null })) return;
    if (expectedSince !== null) expectedSince = performance.now();
    reports.take(report, sent);
  };
  rtp.on('message', (datagram, from) => guard(() => takeRtp(datagram, from)));
  rtcp.on('message', (datagram, from) => guard(() => takeRtcp(datagram, from)));
  for (const socket of [rtp, rtcp]) socket.on('error', ignoreError);

  const sendReport = ({ agreement, sending, receiving }: Standing): void => {
    const report = reports.due(sending.soFar(), receiving.reception.report);
    if (report === null) return;
    const { address, port } = agreement.remoteReports;
    rtcp.send(wrap.rtcp(report), port, address);
  };

  return {
    agree(agreement) {
      remote.agreedOn(agreement.remote, agreement.remoteReports);
      agreedOn(agreement.keys);
      expectedSince = agreement.isReceiving ? performance.now() : null;
      if (standing === null) {
        standing = begin(agreement, ring, events);
        return;
      }
      standing.agreement = agreement;
      standing.sending.setFormat(formatOf(agreement));
      standing.receiving.setFormats(receivingFormatsOf(agreement));
    },
    press: (keys) => void standing?.sending.press(keys),
    tick() {
      if (standing === null) return;
      standing.receiving.expire(performance.now());
      if (standing.agreement.isSending) {
        const { address, port } = remote.address();
        // The packet is copied, because the next packet reuses its memory.
        rtp.send(Buffer.from(wrap.rtp(standing.sending.next())), port, address);
      }
      sendReport(standing);
    },
    statistics() {
      const { packets, ...heard } = standing?.receiving.reception.statistics() ?? nothingHeard;
      return {
        sent: standing?.sending.soFar().packets ?? 0,
        received: packets,
        ...heard,
        ...reports.ofRemote(),
        ...(standing?.agreement.isReceiving === false ? { isSentThere: false } : {}),
        remote: standing === null ? null : remote.address(),
        silentMs: expectedSince === null ? null : performance.now() - expectedSince,
      };
    },
    close() {
      released(remote.sources());
      rtp.close();
      if (standing === null) return void rtcp.close();
      const { address, port } = standing.agreement.remoteReports;
      try {
        const goodbye = wrap.rtcp(reports.goodbye(standing.sending.soFar().ssrc));
        return rtcp.send(goodbye, port, address, () => rtcp.close());
      } catch (error) {
        rtcp.close();
        throw error;
      }
    },
  };
};
