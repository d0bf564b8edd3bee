/** The same check by the `standardwebhooks` package, which exists for a dozen languages. */
import { Webhook } from 'standardwebhooks';

export const verify = (secret, headers, body) => new Webhook(secret).verify(body, headers);
