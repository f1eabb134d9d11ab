import { Link } from "@tanstack/react-router";
import { buttonClass } from "../ui/button.tsx";
import { Empty, Failure, Loading } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";

export function NotFound() {
  return (
    <Page title="There is no such page">
      <Empty title="The address leads nowhere.">
        <Link to="/" className={buttonClass()}>
          To the overview
        </Link>
      </Empty>
    </Page>
  );
}

export function PageLoading() {
  return <Loading rows={8} />;
}

/** A page that broke. After an upgrade of the server the files of the page before are gone: loading it anew helps. */
export function PageFailure({ error }: { error: unknown }) {
  return <Failure error={error} retry={() => location.reload()} />;
}
