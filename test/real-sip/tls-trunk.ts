/** SIP over TLS: a drachtio-server that listens for it, and a trunk whose callee is always busy. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import type { ServerAddress } from '#sip/reconnect.ts';
import { loopbackCertificate } from '#test/helpers/loopback-certificate.ts';
import { startDrachtio } from '#src/servers/start-drachtio.ts';
import { ownPort } from './ports.ts';
import { endProcess } from './sip-servers.ts';

const header = (text: string, name: string): string =>
  new RegExp(`^${name}: (.*)\r$`, 'im').exec(text)?.[1] ?? '';

export const startTlsTrunk = async () => {
  const requests: string[] = [];
  const server = createServer(loopbackCertificate, (socket) => {
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      requests.push(text);
      if (text.startsWith('ACK')) return;
      const same = ['Via', 'From', 'Call-ID', 'CSeq'].map((name) => `${name}: ${header(text, name)}`);
      const to = `To: ${header(text, 'To')};tag=far`;
      socket.write(['SIP/2.0 486 Busy Here', ...same, to, 'Content-Length: 0', '\r\n'].join('\r\n'));
    });
    // Ignores socket errors while drachtio-server is stopped.
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return { port: address.port, requests, close: () => void server.close() };
};

/** Starts a drachtio-server with TLS, and with UDP for the media server. */
export const startTlsDrachtio = async (folder: string) => {
  const [port, sipPort, tlsPort] = [await ownPort(), await ownPort(), await ownPort()];
  const certFile = join(folder, 'cert.pem');
  const keyFile = join(folder, 'key.pem');
  await writeFile(certFile, loopbackCertificate.cert);
  await writeFile(keyFile, loopbackCertificate.key);
  const server: ServerAddress = { host: '127.0.0.1', port, secret: 'test-drachtio' };
  const { child, ready } = startDrachtio(
    {
      control: server,
      sip: { host: '127.0.0.1', port: sipPort },
      publicAddress: null,
      tls: { port: tlsPort, keyFile, certFile, chainFile: certFile },
    },
    join(folder, 'drachtio-tls.log'),
  );
  await ready;
  return { server, tlsPort, close: () => endProcess(child) };
};
