/** A UDP socket for the sound of a call. */
import { createSocket, type Socket, type SocketOptions } from 'node:dgram';
import { lookup } from 'node:dns';
import { once } from 'node:events';
import { isIP } from 'node:net';

/**
 * What is an address already is not looked up. Node would do that for each packet, and send it in a later task: a third
 * of what sending costs.
 */
const lookUp: NonNullable<SocketOptions['lookup']> = (host, options, callback) => {
  const family = isIP(host);
  if (family === 0) lookup(host, options, callback);
  else callback(null, host, family);
};

/** At this address and port; 0 for any port. Rejects when it is taken. */
export const openUdpSocket = async (address: string, port: number): Promise<Socket> => {
  const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4', lookup: lookUp });
  // An address that needs no look-up is listened at before `bind` returns.
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
