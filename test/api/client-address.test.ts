import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import test from 'ava';
import { createClientAddress } from '#src/api/client-address.ts';

/** A request by a connection from this address. */
const requestFrom = (address: string | undefined, forwardedFor?: string): IncomingMessage => {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: address });
  const request = new IncomingMessage(socket);
  if (forwardedFor !== undefined) request.headers['x-forwarded-for'] = forwardedFor;
  return request;
};

const comes = test.macro<[readonly string[], string | undefined, string | undefined, string]>(
  (t, trusted, from, forwardedFor, expected) => {
    t.is(createClientAddress(trusted)(requestFrom(from, forwardedFor)), expected);
  },
);

const proxies = ['10.0.0.0/8', '2001:db8::1'];

test('nobody is trusted: the address of the connection', comes, [], '10.0.0.1', '203.0.113.7', '10.0.0.1');
test('a stranger names somebody', comes, proxies, '198.51.100.1', '203.0.113.7', '198.51.100.1');
test('a proxy names the client', comes, proxies, '10.0.0.1', '203.0.113.7', '203.0.113.7');
test('by IPv6', comes, proxies, '2001:db8::1', '2001:db8:1::7', '2001:db8:1::7');
test('on a socket of both families', comes, proxies, '::ffff:10.0.0.1', '203.0.113.7', '203.0.113.7');
test('one proxy behind another', comes, proxies, '10.0.0.1', '203.0.113.7, 10.2.3.4', '203.0.113.7');
test('a client that wrote more', comes, proxies, '10.0.0.1', '192.0.2.1, 203.0.113.7', '203.0.113.7');
test('a proxy that names nobody', comes, proxies, '10.0.0.1', undefined, '10.0.0.1');
test('something that is no address', comes, proxies, '10.0.0.1', 'unknown', 'unknown');
test('a connection that is gone', comes, proxies, undefined, undefined, '');
