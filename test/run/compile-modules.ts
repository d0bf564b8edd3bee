/**
 * Loads the modules of a gateway, so that Node stores them compiled (`NODE_COMPILE_CACHE`): of threads that begin
 * together, each would compile them for itself, because a thread stores its modules when it ends.
 */
import '#sip/drachtio/drachtio-lines.ts';
import '#sip/simulator/simulator-lines.ts';
import '#sip/webphone/web-phones.ts';
import '#src/gateway.ts';
import '#src/parts/http.ts';
