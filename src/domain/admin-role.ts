/** Roles of admin tokens: `viewer` reads everything except secrets, `admin` also changes it. */
export const adminRoles = ['admin', 'viewer'] as const;

export type AdminRole = (typeof adminRoles)[number];
