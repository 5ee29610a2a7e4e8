//! The images whose checksum is known: the name of the game and the MD5 of its file.

use crate::rom::Rom;

/// Name and MD5 (lower-case hexadecimal) of every known image, in the order in which they are listed to users.
pub fn known_roms() -> impl Iterator<Item = (&'static str, &'static str)> {
    KNOWN.into_iter()
}

/// The name of the known image that has exactly these bytes.
pub fn name_of(rom: &Rom) -> Option<&'static str> {
    name_of_md5(&rom.md5_hex())
}

/// The name of the known image with this MD5 in lower-case hexadecimal.
pub fn name_of_md5(md5: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(_, known)| *known == md5).map(|(name, _)| *name)
}

const KNOWN: [(&str, &str); 108] = [
    ("adventure", "4b27f5397c442d25f0c418ccdacf1926"),
    ("air_raid", "35be55426c1fec32dfb503b4f0651572"),
    ("alien", "f1a0a23e6464d954e3a9579c4ccd01c8"),
    ("amidar", "acb7750b4d0c4bd34969802a7deb2990"),
    ("assault", "de78b3a064d374390ac0710f95edde92"),
    ("asterix", "89a68746eff7f266bbf08de2483abe55"),
    ("asteroids", "ccbd36746ed4525821a8083b0d6d2c2c"),
    ("atlantis2", "826481f6fc53ea47c9f272f7050eedf7"),
    ("atlantis", "9ad36e699ef6f45d9eb6c4cf90475c9f"),
    ("backgammon", "8556b42aa05f94bc29ff39c39b11bff4"),
    ("bank_heist", "00ce0bdd43aed84a983bef38fe7f5ee3"),
    ("basic_math", "819aeeb9a2e11deb54e6de334f843894"),
    ("battle_zone", "41f252a66c6301f1e8ab3612c19bc5d4"),
    ("beam_rider", "79ab4123a83dc11d468fb2108ea09e2e"),
    ("berzerk", "136f75c4dd02c29283752b7e5799f978"),
    ("blackjack", "0a981c03204ac2b278ba392674682560"),
    ("bowling", "c9b7afad3bfd922e006a6bfc1d4f3fe7"),
    ("boxing", "c3ef5c4653212088eda54dc91d787870"),
    ("breakout", "f34f08e5eb96e500e851a80be3277a56"),
    ("carnival", "028024fb8e5e5f18ea586652f9799c96"),
    ("casino", "b816296311019ab69a21cb9e9e235d12"),
    ("centipede", "91c2098e88a6b13f977af8c003e0bca5"),
    ("chopper_command", "c1cb228470a87beb5f36e90ac745da26"),
    ("combat", "0ef64cdbecccb7049752a3de0b7ade14"),
    ("crazy_climber", "55ef7b65066428367844342ed59f956c"),
    ("crossbow", "8cd26dcf249456fe4aeb8db42d49df74"),
    ("darkchambers", "106855474c69d08c8ffa308d47337269"),
    ("defender", "0f643c34e40e3f1daafd9c524d3ffe64"),
    ("demon_attack", "f0e0addc07971561ab80d9abe1b8d333"),
    ("donkey_kong", "36b20c427975760cb9cf4a47e41369e4"),
    ("double_dunk", "368d88a6c071caba60b4f778615aae94"),
    ("earthworld", "5aea9974b975a6a844e6df10d2b861c4"),
    ("elevator_action", "71f8bacfbdca019113f3f0801849057e"),
    ("enduro", "94b92a882f6dbaa6993a46e2dcc58402"),
    ("entombed", "6b683be69f92958abe0e2a9945157ad5"),
    ("et", "615a3bf251a38eb6638cdc7ffbde5480"),
    ("fishing_derby", "b8865f05676e64f3bec72b9defdacfa7"),
    ("flag_capture", "30512e0e83903fc05541d2f6a6a62654"),
    ("freeway", "8e0ab801b1705a740b476b7f588c6d16"),
    ("frogger", "081e2c114c9c20b61acf25fc95c71bf4"),
    ("frostbite", "4ca73eb959299471788f0b685c3ba0b5"),
    ("galaxian", "211774f4c5739042618be8ff67351177"),
    ("gopher", "c16c79aad6272baffb8aae9a7fff0864"),
    ("gravitar", "8ac18076d01a6b63acf6e2cab4968940"),
    ("hangman", "f16c709df0a6c52f47ff52b9d95b7d8d"),
    ("haunted_house", "f0a6e99f5875891246c3dbecbf2d2cea"),
    ("hero", "fca4a5be1251927027f2c24774a02160"),
    ("human_cannonball", "7972e5101fa548b952d852db24ad6060"),
    ("ice_hockey", "a4c08c4994eb9d24fb78be1793e82e26"),
    ("jamesbond", "e51030251e440cffaab1ac63438b44ae"),
    ("journey_escape", "718ae62c70af4e5fd8e932fee216948a"),
    ("joust", "3276c777cbe97cdd2b4a63ffc16b7151"),
    ("kaboom", "5428cdfada281c569c74c7308c7f2c26"),
    ("kangaroo", "4326edb70ff20d0ee5ba58fa5cb09d60"),
    ("keystone_kapers", "6c1f3f2e359dbf55df462ccbcdd2f6bf"),
    ("king_kong", "0dd4c69b5f9a7ae96a7a08329496779a"),
    ("klax", "eed9eaf1a0b6a2b9bc4c8032cb43e3fb"),
    ("koolaid", "534e23210dd1993c828d944c6ac4d9fb"),
    ("krull", "4baada22435320d185c95b7dd2bcdb24"),
    ("kung_fu_master", "5b92a93b23523ff16e2789b820e2a4c5"),
    ("laser_gates", "8e4cd60d93fcde8065c1a2b972a26377"),
    ("lost_luggage", "2d76c5d1aad506442b9e9fb67765e051"),
    ("mario_bros", "e908611d99890733be31733a979c62d8"),
    ("maze_craze", "ed2218b3075d15eaa34e3356025ccca3"),
    ("miniature_golf", "df62a658496ac98a3aa4a6ee5719c251"),
    ("montezuma_revenge", "3347a6dd59049b15a38394aa2dafa585"),
    ("mr_do", "aa7bb54d2c189a31bb1fa20099e42859"),
    ("ms_pacman", "87e79cd41ce136fd4f72cc6e2c161bee"),
    ("name_this_game", "36306070f0c90a72461551a7a4f3a209"),
    ("othello", "113cd09c9771ac278544b7e90efe7df2"),
    ("pacman", "fc2233fc116faef0d3c31541717ca2db"),
    ("phoenix", "7e52a95074a66640fcfde124fffd491a"),
    ("pitfall2", "6d842c96d5a01967be9680080dd5be54"),
    ("pitfall", "3e90cf23106f2e08b2781e41299de556"),
    ("pong", "60e0ea3cbe0913d39803477945e9e5ec"),
    ("pooyan", "4799a40b6e889370b7ee55c17ba65141"),
    ("private_eye", "ef3a4f64b6494ba770862768caf04b86"),
    ("qbert", "484b0076816a104875e00467d431c2d2"),
    ("riverraid", "393948436d1f4cc3192410bb918f9724"),
    ("road_runner", "ce5cc62608be2cd3ed8abd844efb8919"),
    ("robotank", "4f618c2429138e0280969193ed6c107e"),
    ("seaquest", "240bfbac5163af4df5ae713985386f92"),
    ("sir_lancelot", "dd0cbe5351551a538414fb9e37fc56e8"),
    ("skiing", "b76fbadc8ffb1f83e2ca08b6fb4d6c9f"),
    ("solaris", "e72eb8d4410152bdcb69e7fba327b420"),
    ("space_invaders", "72ffbef6504b75e69ee1045af9075f66"),
    ("space_war", "b702641d698c60bcdc922dbd8c9dd49c"),
    ("star_gunner", "a3c1c70024d7aabb41381adbfb6d3b25"),
    ("superman", "a9531c763077464307086ec9a1fd057d"),
    ("surround", "4d7517ae69f95cfbc053be01312b7dba"),
    ("tennis", "42cdd6a9e42a3639e190722b8ea3fc51"),
    ("tetris", "b0e1ee07fbc73493eac5651a52f90f00"),
    ("tic_tac_toe_3d", "0db4f4150fecf77e4ce72ca4d04c052f"),
    ("time_pilot", "fc2104dd2dadf9a6176c1c1c8f87ced9"),
    ("trondead", "fb27afe896e7c928089307b32e5642ee"),
    ("turmoil", "7a5463545dfb2dcfdafa6074b2f2c15e"),
    ("tutankham", "085322bae40d904f53bdcc56df0593fc"),
    ("up_n_down", "a499d720e7ee35c62424de882a3351b6"),
    ("venture", "3e899eba0ca8cd2972da1ae5479b4f0d"),
    ("video_checkers", "539d26b6e9df0da8e7465f0f5ad863b7"),
    ("video_chess", "f0b7db930ca0e548c41a97160b9f6275"),
    ("video_cube", "3f540a30fdee0b20aed7288e4a5ea528"),
    ("video_pinball", "107cc025334211e6d29da0b6be46aec7"),
    ("warlords", "cbe5a166550a8129a5e6d374901dffad"),
    ("wizard_of_wor", "7e8aa18bc9502eb57daaf5e7c1e94da7"),
    ("word_zapper", "ec3beb6d8b5689e867bafb5d5f507491"),
    ("yars_revenge", "c5930d0e8cdae3e037349bfa08e871be"),
    ("zaxxon", "eea0da9b987d661264cce69a7c13c3bd"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_and_checksums_are_distinct_and_well_formed() {
        let names: HashSet<_> = known_roms().map(|(name, _)| name).collect();
        let sums: HashSet<_> = known_roms().map(|(_, md5)| md5).collect();
        assert_eq!((names.len(), sums.len()), (108, 108));
        for (name, md5) in known_roms() {
            assert!(
                name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_'),
                "{name}"
            );
            assert!(md5.len() == 32 && md5.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f')), "{md5}");
        }
    }
}
