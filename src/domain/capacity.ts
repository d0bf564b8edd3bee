/** What keeps a gateway from taking more calls. */

/** Pressures that can be too much, in the order in which they are looked at. */
export const pressures = ['event_loop', 'memory', 'journal'] as const;

export type Pressure = (typeof pressures)[number];

/** The limits of a gateway that are a reason to take no more calls: its calls, those that begin, and pressures. */
export const capacityLimits = ['calls', 'beginning', ...pressures] as const;

export type CapacityLimit = (typeof capacityLimits)[number];
