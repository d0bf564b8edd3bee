/** The roles of admin tokens: `viewer` reads everything but secrets, `admin` changes things as well. */
export const adminRoles = ['admin', 'viewer'] as const;

export type AdminRole = (typeof adminRoles)[number];
