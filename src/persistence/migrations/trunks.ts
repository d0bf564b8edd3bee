import { Migration } from '@mikro-orm/migrations';

const statements = [
  `
  create table trunk (
    id uuid not null,
    workspace_id uuid not null,
    name text not null,
    host text not null,
    port int,
    transport text not null,
    username text,
    password_sealed text,
    register boolean not null,
    realm text,
    from_domain text,
    number_format text not null,
    caller_id text not null,
    privacy boolean not null,
    codecs text[],
    priority int not null,
    weight int not null,
    max_channels int,
    calls_per_second int,
    inbound_addresses text[] not null,
    inbound_auth text not null,
    health_check boolean not null,
    enabled boolean not null,
    created_at timestamptz(3) not null,
    primary key (id),
    constraint trunk_workspace_id_name_unique unique (workspace_id, name),
    constraint trunk_transport_check check (transport in ('udp', 'tcp', 'tls')),
    constraint trunk_number_format_check check (number_format in ('domestic', 'e164')),
    constraint trunk_caller_id_check check (caller_id in ('from', 'p-asserted-identity', 'p-preferred-identity')),
    constraint trunk_inbound_auth_check check (inbound_auth in ('none', 'digest')),
    constraint trunk_workspace_id_foreign foreign key (workspace_id) references workspace (id)
  )`,
  `alter table phone_number add column trunk_id uuid`,
  `alter table phone_number add constraint phone_number_trunk_id_foreign
    foreign key (trunk_id) references trunk (id) on delete set null`,
];

export class Trunks extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
