/**
 * A loopback port that refuses connections, and its URL. Port 2 is below the ports that the system assigns to servers of other tests, so that
 * none of them can get it, unlike the port of a server that was closed. (`fetch` blocks port 1.)
 */
export const refusingPort = 2;

export const noServer = `http://127.0.0.1:${refusingPort}`;
