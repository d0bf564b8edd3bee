/**
 * A URL whose connections are refused. Port 2 is below the ports that the system gives to servers of other tests, so
 * none of them can take it, as it could take the port of a server that was closed. (Port 1 is blocked by `fetch`.)
 */
export const noServer = 'http://127.0.0.1:2';
