/** A UDP socket for the audio of a call. */
import { createSocket, type Socket, type SocketOptions } from 'node:dgram';
import { lookup } from 'node:dns';
import { once } from 'node:events';
import { isIP } from 'node:net';

/**
 * Skips the look-up of IP addresses. Otherwise Node would look up the address for each packet and send the packet in a
 * later task, which is a third of the cost of sending.
 */
const lookUp: NonNullable<SocketOptions['lookup']> = (host, options, callback) => {
  const family = isIP(host);
  if (family === 0) lookup(host, options, callback);
  else callback(null, host, family);
};

/** Opens a socket at this address and port; 0 for any port. Rejects if the port is taken. */
export const openUdpSocket = async (address: string, port: number): Promise<Socket> => {
  const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4', lookup: lookUp });
  // The event is awaited from here on, because Node binds an IP address synchronously and the socket receives packets
  // before `bind` returns.
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
