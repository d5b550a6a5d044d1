# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts in this folder and by .ci/run; sourced, not run.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
required_java=25

fail()
{
    echo "$(basename "$0"): $*" >&2
    exit 1
}

# The major version of the JDK in a folder; empty if there is no JDK.
jdk_version()
{
    if [ -n "$1" ] && [ -x "$1/bin/javac" ] && [ -f "$1/release" ]; then
        sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
    fi
}

# Sets JAVA_HOME to a JDK that Trino runs on: the one that is set, the one on the path, or one from the usual folders.
find_jdk()
{
    local on_path folder version seen=
    on_path="$(command -v javac || true)"
    if [ -n "$on_path" ]; then
        on_path="$(dirname "$(dirname "$(readlink -f "$on_path" 2>/dev/null || echo "$on_path")")")"
    fi
    for folder in "${JAVA_HOME:-}" "$on_path" \
            /usr/lib/jvm/* /usr/java/* /usr/local/java/* /opt/java/* /opt/jdk* /opt/*jdk* \
            "$HOME"/.jdks/* "$HOME"/.sdkman/candidates/java/* "$HOME"/.local/share/mise/installs/java/* "$HOME"/.asdf/installs/java/* \
            /Library/Java/JavaVirtualMachines/*/Contents/Home /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
        version="$(jdk_version "$folder")"
        if [ -n "$version" ]; then
            if [ "$version" -ge "$required_java" ]; then
                export JAVA_HOME="$folder"
                return
            fi
            seen="$seen
  $version in $folder"
        fi
    done
    fail "Java $required_java or newer is needed, as a JDK. Set JAVA_HOME to its folder. Found:${seen:- none}"
}

# Downloads that break off are tried again: the first setting is for Maven 3.8, the others for 3.9 and later.
maven_options=(
    --batch-mode
    -Dmaven.wagon.http.retryHandler.count=5
    -Daether.connector.http.retryHandler.count=5
    -Daether.transport.http.retryHandler.count=5
)

require_maven()
{
    command -v mvn >/dev/null || fail "Maven (3.8 or newer) is needed: there is no mvn on the path"
}

run_maven()
{
    require_maven
    # Maven's own libraries make the Java runtime warn on each start
    MAVEN_OPTS="${MAVEN_OPTS:---sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED}" \
        mvn "${maven_options[@]}" -f "$root/pom.xml" "$@"
}

# Runs Maven with its output in a log file, and shows one line for each module and each hundred downloads.
run_maven_quietly()
{
    local log="$1" status=0 downloads=0 line
    shift
    require_maven
    mkdir -p "$(dirname "$log")"
    set +e
    run_maven "$@" 2>&1 | tee "$log" | while IFS= read -r line; do
        case "$line" in
            *Downloaded\ from*)
                downloads=$((downloads + 1))
                if [ $((downloads % 100)) = 0 ]; then
                    echo "  ... $downloads files downloaded"
                fi
                ;;
            *"[INFO] Building Freshet"*)
                line="${line#*Building }"
                echo "  ${line%% 1-SNAPSHOT*}"
                ;;
        esac
    done
    status="${PIPESTATUS[0]}"
    set -e
    if [ "$status" != 0 ]; then
        grep -m 20 'ERROR' "$log" >&2 || true
        fail "the build failed; its whole output is in $log"
    fi
}

server_folder="$root/src-test/server/target/freshet-server-1-SNAPSHOT"
server_built="$root/src-test/server/target/built"

# Builds the server and its plugins, unless they are newer than their sources.
build_server()
{
    local changed=yes
    if [ -f "$server_built" ] && [ -d "$server_folder" ]; then
        changed="$(cd "$root" && find pom.xml ./*/pom.xml src-test/server*/pom.xml src-test/server-plugins/*/pom.xml \
            {staleness,refresh-engine,spi-impl,plugin,src-test/server,src-test/server-plugins/*}/src/main -newer "$server_built" -print -quit)"
    fi
    if [ -n "$changed" ]; then
        if [ -f "$server_built" ]; then
            echo "Building Freshet: its sources have changed"
        else
            echo "Building Freshet and a Trino server (the first time this downloads Trino, which takes some minutes)"
        fi
        local started
        started="$(mktemp)"
        run_maven_quietly "$root/var/log/build.log" package -Dmaven.test.skip=true \
            -pl plugin,src-test/server,src-test/server-plugins/iceberg,src-test/server-plugins/tpch -am
        mv "$started" "$server_built"
    fi
}
