import { Link, Navigate, useParams } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { useSession } from "../../api/session.tsx";
import { Empty, NoPermission } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { AccountSection } from "./account-section.tsx";
import { AuditSection } from "./audit-section.tsx";
import { KeysSection } from "./keys-section.tsx";
import { MembersSection } from "./members-section.tsx";
import { ProjectSection } from "./project-section.tsx";
import { SecretsSection } from "./secrets-section.tsx";
import { maySee, SECTIONS, type Section } from "./sections.ts";
import { SigningKeysSection } from "./signing-keys-section.tsx";

const VIEWS: Record<Section["name"], ComponentType> = {
  project: ProjectSection,
  members: MembersSection,
  keys: KeysSection,
  secrets: SecretsSection,
  "signing-keys": SigningKeysSection,
  audit: AuditSection,
  account: AccountSection,
};

export function SettingsPage() {
  const { me } = useSession();
  const { section: name } = useParams({ from: "/settings/$section" });
  const section = SECTIONS.find((each) => each.name === name);
  return (
    <Page title={section ? `${section.label} · Settings` : "Settings"} heading="Settings">
      <div className="grid gap-4 lg:grid-cols-[11rem_minmax(0,1fr)] lg:gap-6">
        <SectionLinks />
        <div className="flex min-w-0 flex-col gap-4">
          {section === undefined ? (
            <Empty title="There are no settings of that name." />
          ) : maySee(section, me) ? (
            <View key={section.name} section={section} />
          ) : (
            <NoPermission what={section.what} />
          )}
        </div>
      </div>
    </Page>
  );
}

function View({ section }: { section: Section }) {
  const Chosen = VIEWS[section.name];
  return <Chosen />;
}

/** /settings alone is the first that one may see. */
export function SettingsIndex() {
  const { me } = useSession();
  const first = SECTIONS.find((section) => maySee(section, me));
  return <Navigate to="/settings/$section" params={{ section: first?.name ?? "account" }} replace />;
}

function SectionLinks() {
  const { me } = useSession();
  return (
    <nav
      aria-label="Settings"
      className="border-line flex flex-wrap gap-1 border-b pb-2 lg:flex-col lg:flex-nowrap lg:border-0 lg:pb-0"
    >
      {SECTIONS.filter((section) => maySee(section, me)).map(({ name, label }) => (
        <Link
          key={name}
          to="/settings/$section"
          params={{ section: name }}
          activeOptions={{ includeSearch: false }}
          className="text-muted hover:bg-raised hover:text-ink rounded-md px-2.5 py-1.5 font-medium"
          activeProps={{ className: "bg-raised !text-ink" }}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
