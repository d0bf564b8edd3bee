/** All migrations, oldest first. A name never changes once it was released. */
import { DeliveryOrder } from './delivery-order.ts';
import { Initial } from './initial.ts';
import { NumberEngines } from './number-engines.ts';
import { Trunks } from './trunks.ts';
import { Voicemail } from './voicemail.ts';

export const migrations = [
  { name: '0001-initial', class: Initial },
  { name: '0002-trunks', class: Trunks },
  { name: '0003-voicemail', class: Voicemail },
  { name: '0004-number-engines', class: NumberEngines },
  { name: '0006-delivery-order', class: DeliveryOrder },
];
