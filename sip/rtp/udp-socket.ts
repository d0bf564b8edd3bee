/** A UDP socket for the audio of a call. */
import { createSocket, type Socket, type SocketOptions } from 'node:dgram';
import { lookup } from 'node:dns';
import { once } from 'node:events';
import { isIP } from 'node:net';

/**
 * Skips the look-up of IP addresses. Node would otherwise look up the address for each packet and send it in a later
 * task, which is a third of the cost of sending.
 */
const lookUp: NonNullable<SocketOptions['lookup']> = (host, options, callback) => {
  const family = isIP(host);
  if (family === 0) lookup(host, options, callback);
  else callback(null, host, family);
};

/** Binds to this address and port; 0 for any port. Rejects if it is taken. */
export const openUdpSocket = async (address: string, port: number): Promise<Socket> => {
  const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4', lookup: lookUp });
  // Node binds an IP address synchronously: the socket receives packets before `bind` returns.
  const listening = once(socket, 'listening');
  try {
    socket.bind(port, address);
    await listening;
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  }
};
