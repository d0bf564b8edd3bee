/** Reasons for refusing new calls. */

/** Kinds of pressure, in the order in which they are checked. */
export const pressures = ['event_loop', 'memory', 'journal'] as const;

export type Pressure = (typeof pressures)[number];

/** Limits at which a gateway refuses calls: calls in progress, calls being set up, the rate of new calls, and pressures. */
export const capacityLimits = ['calls', 'beginning', 'rate', ...pressures] as const;

export type CapacityLimit = (typeof capacityLimits)[number];
